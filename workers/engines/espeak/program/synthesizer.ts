// SPDX-License-Identifier: GPL-3.0-or-later
import { openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MAX_TEXT_BYTES, type Mark, type SpeakMessage } from "../framing.js";

/** Voices kept ready; each holds about 1.2 MB. */
const MAX_SNAPSHOTS = 16;

/** Memory past a snapshot that a text may dirty and that is cleared after it. */
const SCRATCH_BYTES = 4 * 1024 * 1024;

export interface Synthesizer {
  sampleRate: number;
  languages: Record<string, string>;
  /** Speaks; `onPiece` gets each piece of audio as it is made and stops the speech by returning true. */
  speak(message: SpeakMessage, onPiece: (samples: Int16Array, marks: Mark[]) => boolean): void;
  /** Drops what the last text left behind. */
  purge(): void;
}

/**
 * Loads espeak-ng. Its state leaks from one text into the next (noise, pitch and smoothing go on where they were), so
 * equal texts would differ in a few samples. All of that state is in the module's memory: putting back the memory as it
 * was right after the voice was chosen makes every text the first one, bit for bit, for a fifth of a millisecond.
 */
export async function loadSynthesizer(): Promise<Synthesizer> {
  const engine = await initializeModule();
  const worker = await new engine.eSpeakNGWorker();
  // Twice: the wrapper enlarges its text buffer at the call after the one that did not fit.
  for (let round = 0; round < 2; round++) worker.synthesize(" ".repeat(MAX_TEXT_BYTES), () => false);
  const base = snapshot(engine.HEAPU8);
  const voices = new Map<string, Uint8Array>();
  let current: string | null = null;

  const restore = (memory: Uint8Array): void => {
    engine.HEAPU8.set(memory);
    engine.HEAPU8.fill(0, memory.length, Math.min(engine.HEAPU8.length, memory.length + SCRATCH_BYTES));
  };
  const prepare = (voice: string): void => {
    if (voice === current) return;
    const known = voices.get(voice);
    if (known !== undefined) {
      restore(known);
      voices.delete(voice);
      voices.set(voice, known);
    } else {
      restore(base);
      if (worker.set_voice(voice) !== 0) throw new RangeError(`there is no voice ${voice}`);
      voices.set(voice, snapshot(engine.HEAPU8));
      const oldest = voices.keys().next().value;
      if (voices.size > MAX_SNAPSHOTS && oldest !== undefined) voices.delete(oldest);
    }
    current = voice;
  };

  return {
    sampleRate: worker.samplerate,
    languages: languagesOf(worker.list_voices()),
    speak(message, onPiece) {
      // Text buffers were made for this much before the first snapshot: a larger one would be allocated over.
      if (Buffer.byteLength(message.text) > MAX_TEXT_BYTES) throw new RangeError("the text is too long for one call");
      prepare(message.voice);
      worker.set_rate(message.rate);
      worker.set_pitch(message.pitch);
      worker.set_range(message.range);
      worker.synthesize(message.text, (audio, events) => {
        const marks = events.flatMap((event): Mark[] => {
          const at = event.text_position - 1;
          if (event.type === "word")
            return [{ kind: "word", at, length: event.word_length, atMs: event.audio_position }];
          if (event.type !== "phoneme" || !message.phonemes) return [];
          return [{ kind: "phoneme", at, ipa: String(event.id ?? ""), atMs: event.audio_position }];
        });
        const samples =
          audio === null ? new Int16Array(0) : audio instanceof Int16Array ? audio : new Int16Array(audio);
        return onPiece(samples, marks);
      });
    },
    purge() {
      const memory = current === null ? undefined : voices.get(current);
      if (memory !== undefined) restore(memory);
    },
  };
}

type Espeak = Awaited<ReturnType<typeof import("@echogarden/espeak-ng-emscripten")["default"]>>;

async function initializeModule(): Promise<Espeak> {
  const { default: initialize } = await import("@echogarden/espeak-ng-emscripten").catch((error: unknown) => {
    const missing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    throw missing ? new RangeError("the optional package @echogarden/espeak-ng-emscripten is not installed") : error;
  });
  stopTime();
  let files = new ArrayBuffer(0);
  const engine = await initialize({
    // Standard output carries frames: nothing else may be written there.
    print: () => undefined,
    printErr: (line) => process.stderr.write(`${line}\n`),
    getPreloadedPackage: (_, bytes) => (files = new ArrayBuffer(bytes)),
  });
  readWhenOpened(engine, files);
  return engine;
}

/**
 * Reads each file of the package when it is opened first, into its place among them. A language needs one or two of the
 * 24 MB of dictionaries, and memory that nothing was written to takes no pages.
 */
function readWhenOpened({ FS }: Espeak, files: ArrayBuffer): void {
  const entry = import.meta.resolve("@echogarden/espeak-ng-emscripten");
  const descriptor = openSync(fileURLToPath(new URL("espeak-ng.data", entry)), "r");
  const read = new Set<number>();
  const open = FS.open.bind(FS);
  FS.open = (...given) => {
    const stream = open(...given);
    const { contents } = stream.node;
    if (contents?.buffer !== files || read.has(contents.byteOffset)) return stream;
    const count = readSync(descriptor, contents, 0, contents.length, contents.byteOffset);
    if (count !== contents.length) throw new RangeError("espeak-ng's data file is shorter than its package");
    read.add(contents.byteOffset);
    return stream;
  };
}

/**
 * espeak-ng seeds the noise of its breathy variants from the time of day: equal texts would differ from one process to
 * the next. Nothing else in this process asks for the time.
 */
function stopTime(): void {
  Date.now = () => 0;
  performance.now = () => 0;
}

/** A copy of the memory up to its last byte in use. */
function snapshot(memory: Uint8Array): Uint8Array {
  const words = new Uint32Array(memory.buffer, memory.byteOffset, memory.byteLength >> 2);
  let last = words.length - 1;
  while (last > 0 && words[last] === 0) last--;
  return memory.slice(0, (last + 1) * 4);
}

/** Each language tag's best voice: the one that ranks it highest (smallest priority), the first listed among equals. */
function languagesOf(
  voices: { identifier: string; languages: { priority: number; name: string }[] }[],
): Record<string, string> {
  const best = new Map<string, { priority: number; identifier: string }>();
  for (const { identifier, languages } of voices) {
    for (const { priority, name } of languages) {
      const tag = name.toLowerCase();
      if (priority < (best.get(tag)?.priority ?? Number.POSITIVE_INFINITY)) best.set(tag, { priority, identifier });
    }
  }
  return Object.fromEntries([...best].map(([tag, { identifier }]) => [tag, identifier]));
}
