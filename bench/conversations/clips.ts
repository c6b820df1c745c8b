import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeAudio } from "#audio/decoding/decode";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { fromFloat, toFloat } from "#audio/pcm";
import { createResampler } from "#audio/resampling/resampler";
import { chunkOf, loadVoiceEngine } from "../voice-engine.js";
import type { Clip } from "./messages.js";
import { framesOf, FRAME_MS } from "./received-audio.js";

const RATE = 16_000;
/** Speakers of the voice that comes with Parley; the agent speaks with the first. */
export const speakers = ["kathleen", "slt", "rms", "lj"] as const;
/** Speaking rates, so that the same speaker does not say the same thing twice in the same way. */
const speeds = [1, 1.15, 0.9] as const;
/** A frame so far below the loudest one of the clip is not voiced any more. */
const VOICED_BELOW_PEAK_DB = 35;

/** `dist/bench/conversations` → recordings of a person. */
const recordings = join(import.meta.dirname, "../../../workers/engines/ctc/testing/clips");

/** Sentences spoken by our own voices, another speaker each time. */
export async function spokenClips(texts: readonly string[]): Promise<Clip[]> {
  const { engine, close } = await loadVoiceEngine();
  const clips: Clip[] = [];
  for (const [at, text] of texts.entries()) {
    const speaker = speakers[at % speakers.length] ?? null;
    const speed = speeds[Math.floor(at / speakers.length) % speeds.length] ?? 1;
    clips.push(clipOf(`${speaker} ${speed}: ${text}`, text, await spokenSamples(engine, text, { speaker, speed })));
  }
  await close();
  return clips;
}

/** A sentence at 16 kHz, spoken by one of the voice's speakers, or by its first. */
export async function spokenSamples(
  engine: Awaited<ReturnType<typeof loadVoiceEngine>>["engine"],
  text: string,
  { speaker, speed }: { speaker: string | null; speed: number },
): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  const chunk = chunkOf(text);
  const [result] = await engine.speak([
    {
      chunk: { ...chunk, voice: { ...chunk.voice, speaker, speed } },
      signal: new AbortController().signal,
      emit: ({ samples }) => void pieces.push(samples.slice()),
    },
  ]);
  if (result?.result !== "spoken") throw new Error(`"${text}" was not spoken`);
  return resampled(joined(pieces), engine.describe().sampleRate);
}

/** The recordings of a person that come with the tests. */
export async function recordedClips(): Promise<Clip[]> {
  const texts = new Map(
    readFileSync(join(recordings, "sentences.tsv"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t") as [string, string]),
  );
  const files = readdirSync(recordings).filter((file) => file.endsWith(".flac"));
  const clips = await Promise.all(
    files.sort().map(async (file) => {
      const bytes = readFileSync(join(recordings, file));
      const { pcm } = await decodeAudio(bytes, { maxSeconds: 60, sampleRate: RATE });
      return clipOf(file, texts.get(file) ?? "", pcm.samples);
    }),
  );
  await closeDecoderThreads();
  return clips;
}

/** A clip without the silence at its ends. */
export function clipOf(name: string, text: string, samples: Int16Array): Clip {
  const frames = framesOf(samples, RATE);
  const peak = Math.max(0, ...frames.map(({ loudness }) => loudness));
  const isVoiced = ({ loudness }: { loudness: number }): boolean =>
    loudness > 0 && 20 * Math.log10(loudness / peak) > -VOICED_BELOW_PEAK_DB;
  const first = frames.findIndex(isVoiced);
  if (first === -1) throw new RangeError(`${name} holds nothing audible`);
  const end = frames.findLastIndex(isVoiced) + 1;
  const perFrame = (RATE * FRAME_MS) / 1000;
  const voiced = samples.slice(first * perFrame, end * perFrame);
  return { name, text, pcm: Buffer.from(voiced.buffer).toString("base64"), lastVoicedMs: (end - first) * FRAME_MS };
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function resampled(samples: Int16Array, fromRate: number): Int16Array {
  const resampler = createResampler(fromRate, RATE);
  return joined([fromFloat(resampler.process(toFloat(samples))), fromFloat(resampler.flush())]);
}
