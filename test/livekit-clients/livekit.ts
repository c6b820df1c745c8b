import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { wordErrors } from "../harness/recognizer.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";
import { root } from "../structure/sources.js";

// What the tests use of LiveKit's packages, which are installed apart: the compiler does not see their types.

/** A piece of audio. */
export interface Frame {
  data: Int16Array;
  sampleRate: number;
  channels: number;
  samplesPerChannel: number;
}

/** A word with its times in seconds. */
export interface TimedText {
  text: string;
  startTime: number;
  endTime: number;
}

export interface SynthesizedAudio {
  frame: Frame;
  timedTranscripts?: TimedText[];
}

interface SpeechStream extends AsyncIterable<SynthesizedAudio | symbol> {
  pushText(text: string): void;
  endInput(): void;
}

interface Reporter {
  on(event: "error", listener: (report: { error: Error & { statusCode?: number } }) => void): void;
  close(): Promise<void>;
}

/** LiveKit's `tts.TTS`. */
export interface Synthesizer extends Reporter {
  synthesize(text: string, options?: ConnectionOptions): AsyncIterable<SynthesizedAudio>;
  stream(options?: { connOptions: ConnectionOptions }): SpeechStream;
}

export interface SpeechEvent {
  type: number;
  alternatives?: { text: string; language: string; startTime: number; endTime: number; words?: TimedText[] }[];
}

interface RecognitionStream extends AsyncIterable<SpeechEvent> {
  pushFrame(frame: Frame): void;
  flush(): void;
  close(): void;
}

/** LiveKit's `stt.STT`. */
export interface Recognizer extends Reporter {
  recognize(frame: Frame): Promise<SpeechEvent>;
  stream(): RecognitionStream;
}

interface ConnectionOptions {
  maxRetry: number;
  retryIntervalMs: number;
  timeoutMs: number;
}

/** A plugin's classes, and what their constructors take. */
export interface Plugin {
  TTS: new (options: Record<string, unknown>) => Synthesizer;
  STT: new (options: Record<string, unknown>) => Recognizer;
}

const { LIVEKIT_MODULES = "", PARLEY_BASE_URL = "", PARLEY_TLS_BASE_URL = "", PARLEY_API_KEY = "" } = process.env;
export const baseUrl = PARLEY_BASE_URL;
/** The same cluster behind TLS. */
export const tlsBaseUrl = PARLEY_TLS_BASE_URL;
export const apiKey = PARLEY_API_KEY;

const load = createRequire(join(LIVEKIT_MODULES, "package.json"));
const agents = load("@livekit/agents") as {
  initializeLogger(options: { pretty: boolean; level: string }): void;
  stt: { SpeechEventType: Record<"START_OF_SPEECH" | "FINAL_TRANSCRIPT", number> };
};
const { AudioFrame } = load("@livekit/rtc-node") as {
  AudioFrame: new (data: Int16Array, sampleRate: number, channels: number, samples: number) => Frame;
};
agents.initializeLogger({ pretty: false, level: "fatal" });

export const { FINAL_TRANSCRIPT } = agents.stt.SpeechEventType;

/** Loads one of LiveKit's plugins. */
export const plugin = (name: "elevenlabs" | "fishaudio" | "openai"): Plugin =>
  load(`@livekit/agents-plugin-${name}`) as Plugin;

/** For tests of refusals: an error is reported at once. */
export const once: ConnectionOptions = { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 };

export const sentences = ["Good morning to everybody who is listening.", "We are glad that you could come."];

const clips = join(root, "workers/engines/ctc/testing/clips");
const [clipName = "", clipText = ""] =
  readFileSync(join(clips, "sentences.tsv"), "utf8").split("\n")[0]?.split("\t") ?? [];

/** A person reads a sentence, in one frame of mono audio. */
export async function clipFrame(sampleRate: number): Promise<Frame> {
  const { samples } = await decodeWithFfmpeg(readFileSync(join(clips, clipName)), { sampleRate });
  return new AudioFrame(samples, sampleRate, 1, samples.length);
}

/** At most half of the words are wrong: which are right is the recognizer's own test. */
export function assertTranscript(transcript: string | undefined): void {
  const { errors, words } = wordErrors(clipText, transcript ?? "");
  assert.ok(errors / words < 0.5, `"${transcript}" is not "${clipText}"`);
}

/** A turn as an agent speaks it: word by word. Gives what comes until the turn's end. */
export async function speakTurn(speaker: Synthesizer, text: string): Promise<SynthesizedAudio[]> {
  const stream = speaker.stream();
  for (const word of text.split(/(?<= )/)) stream.pushText(word);
  stream.endInput();
  return await collect(stream);
}

export async function collect(stream: AsyncIterable<SynthesizedAudio | symbol>): Promise<SynthesizedAudio[]> {
  const pieces = [];
  for await (const piece of stream) if (typeof piece !== "symbol") pieces.push(piece);
  return pieces;
}

/** What a failed request reports. */
export async function reportedBy(
  reporter: Reporter,
  ask: () => Promise<unknown>,
): Promise<Error & { statusCode?: number }> {
  const reported = new Promise<Error & { statusCode?: number }>((resolve) =>
    reporter.on("error", ({ error }) => resolve(error)),
  );
  await ask();
  return await reported;
}

/** Not only audio of the right length and rate: most of it must audio. Gives its length in seconds. */
export function assertSpeech(
  pieces: SynthesizedAudio[],
  sampleRate: number,
  { shortest = 1.5, longest = 5 } = {},
): number {
  assert.deepEqual(
    [...new Set(pieces.map(({ frame }) => `${frame.sampleRate} ${frame.channels}`))],
    [`${sampleRate} 1`],
  );
  const samples = Int16Array.from(pieces.flatMap(({ frame }) => [...frame.data]));
  const seconds = durationSeconds({ samples, sampleRate });
  assert.ok(seconds > shortest && seconds < longest, `${seconds} s of audio`);
  assert.ok(soundingShare({ samples, sampleRate }) > 0.5);
  return seconds;
}

/** Commits a clip, frame by frame as a room gives it, and waits for its transcript. */
export async function transcribeTurn(recognizer: Recognizer, sampleRate: number): Promise<SpeechEvent> {
  let cause: Error | undefined;
  recognizer.on("error", ({ error }) => {
    cause = error;
  });
  const stream = recognizer.stream();
  const { data } = await clipFrame(sampleRate);
  const step = sampleRate / 50;
  for (let start = 0; start < data.length; start += step) {
    const samples = data.slice(start, start + step);
    stream.pushFrame(new AudioFrame(samples, sampleRate, 1, samples.length));
  }
  stream.flush();
  for await (const event of stream) {
    if (event.type !== FINAL_TRANSCRIPT) continue;
    stream.close();
    return event;
  }
  throw new Error("the stream ended without a transcript", { cause });
}
