import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeAudio } from "#audio/decoding/decode";
import { tone } from "#audio/testing/signals";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { speakers, spokenSamples } from "../conversations/clips.js";
import { generator, noise } from "../turn/scenes.js";
import { readEvaluation } from "../turn/recordings.js";
import type { loadVoiceEngine } from "../voice-engine.js";
import { beeps, type Greeting, type GreetingPart, type RecordingKind } from "./greetings.js";

/** What a greeting sounds like, as whoever answers would say it into their telephone. */
export interface GreetingAudio {
  samples: Int16Array;
  /** When what is said ends; before it nobody waits for an answer. */
  spokenToMs: number;
  /** When the last beep ends; null without one. */
  beepedToMs: number | null;
}

/** Recordings of people by what they say. */
export type Recordings = Readonly<Record<RecordingKind, readonly Int16Array[]>>;

type VoiceEngine = Awaited<ReturnType<typeof loadVoiceEngine>>["engine"];

const PER_MS = RECOGNITION_RATE / 1000;
/** What comes after the greeting: silence, in which a person waits, and a machine records. */
const TAIL_MS = 6000;
const BEEP_AMPLITUDE = 0.2;
/** Machines pick up, and wait a little; people lift the telephone to their ear. */
const leadsMs = [300, 700, 1200, 500, 1700];
const speeds = [1, 1.1, 0.92] as const;
/** Of what counts as speech, against the loudest sample. */
const AUDIBLE_SHARE = 0.02;

/** No recordings: greetings that need one cannot be made. */
export const noRecordings: Recordings = { yes: [], sentence: [] };

/** "Yes" of many people, and sentences that people read, from the folder of the data, two of three for `isTuning`. */
export async function readRecordings(data: string, isTuning: boolean): Promise<Recordings> {
  const isWanted = (_: unknown, at: number): boolean => (at % 3 !== 2) === isTuning;
  const corpora = ["an4", "speech_commands"] as const;
  const paths = corpora.flatMap((corpus) =>
    readFileSync(join(data, "human", corpus, "metadata.csv"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("|"))
      .filter(([, , text]) => text === "yes")
      .map(([id]) => join(data, "human", corpus, `${id}.opus`)),
  );
  const decoded = paths.filter(isWanted).map(async (path) => {
    const { pcm } = await decodeAudio(readFileSync(path), { maxSeconds: 60, sampleRate: RECOGNITION_RATE });
    return trimmed(pcm.samples);
  });
  const read = (await readEvaluation(data)).map(({ samples }) => trimmed(samples));
  const long = read.filter(({ length }) => length > 5000 * PER_MS && length < 11_000 * PER_MS);
  return { yes: await Promise.all(decoded), sentence: long.filter(isWanted) };
}

/** Makes the audio of a greeting; `at` chooses the voice and how long it takes to begin. */
export async function greetingAudio(
  greeting: Greeting,
  at: number,
  { engine, recordings }: { engine: VoiceEngine; recordings: Recordings },
): Promise<GreetingAudio> {
  const speaker = speakers[at % speakers.length] ?? null;
  const speed = speeds[at % speeds.length] ?? 1;
  const pieces = [silence(leadsMs[at % leadsMs.length] ?? 0)];
  let [lengthSamples, spokenTo, beepedTo] = [pieces[0]?.length ?? 0, 0, null as number | null];
  for (const part of greeting.parts) {
    const piece =
      "say" in part
        ? trimmed(await spokenSamples(engine, part.say, { speaker, speed }))
        : audioOf(part, recordings, greeting.name);
    pieces.push(piece);
    lengthSamples += piece.length;
    if ("say" in part || "recording" in part) spokenTo = lengthSamples;
    if ("beep" in part) beepedTo = lengthSamples;
  }
  const samples = joined([...pieces, silence(TAIL_MS)]);
  if (greeting.signalToNoiseDb !== null) addNoise(samples, greeting.signalToNoiseDb, at);
  return { samples, spokenToMs: spokenTo / PER_MS, beepedToMs: beepedTo === null ? null : beepedTo / PER_MS };
}

const silence = (ms: number): Int16Array => new Int16Array(ms * PER_MS);

function audioOf(part: Exclude<GreetingPart, { say: string }>, recordings: Recordings, name: string): Int16Array {
  if ("pauseMs" in part) return silence(part.pauseMs);
  if ("recording" in part) {
    const list = recordings[part.recording];
    const found = list[part.at % Math.max(1, list.length)];
    if (found === undefined) throw new RangeError(`${name} needs a recording`);
    return found;
  }
  return joined(
    beeps[part.beep].map(({ hz, ms }) => {
      const tones = hz.map((one) => tone(one, ms / 1000, RECOGNITION_RATE, BEEP_AMPLITUDE));
      return (tones[0] ?? new Int16Array(0)).map((_, i) => tones.reduce((sum, one) => sum + (one[i] ?? 0), 0));
    }),
  );
}

/** Without the silence at both ends. */
function trimmed(samples: Int16Array): Int16Array {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const isAudible = (sample: number): boolean => Math.abs(sample) > AUDIBLE_SHARE * peak;
  return samples.slice(Math.max(0, samples.findIndex(isAudible)), samples.findLastIndex(isAudible) + 1);
}

function addNoise(samples: Int16Array, signalToNoiseDb: number, seed: number): void {
  const audible = samples.filter((sample) => sample !== 0);
  const power = audible.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, audible.length);
  const scale = Math.sqrt(power) * 10 ** (-signalToNoiseDb / 20);
  const background = noise(samples.length, generator(seed + 1), seed % 2 === 0 ? 0 : 0.9);
  for (const [i, sample] of samples.entries())
    samples[i] = Math.max(-32_768, Math.min(32_767, Math.round(sample + scale * (background[i] ?? 0))));
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
