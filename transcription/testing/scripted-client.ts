import { setImmediate as nextTurn } from "node:timers/promises";
import {
  DETECTION_STEP_MS,
  type RecognizedWord,
  RECOGNITION_RATE,
  type RecognitionTask,
} from "#protocol/transcription/chunk";
import type { ServedModel } from "#protocol/bus/membership";
import type {
  RecognitionOutput,
  RecognitionClient,
  RecognitionStream,
  RecognitionStreamSettings,
} from "../recognition/recognition-client.js";
import { STEP_SAMPLES } from "../segmentation/vad-windows.js";

/**
 * A word of the audio that these recognizers recognize: so many steps of one loudness, 2000 or more, which is its name.
 */
export interface ScriptedWord {
  pauseSteps: number;
  steps: number;
  loudness: number;
}

/** The audio of words, and the words as a perfect recognizer recognizes them. */
export function audioOfWords(
  words: readonly ScriptedWord[],
  endSteps: number,
): { samples: Int16Array; truth: RecognizedWord[] } {
  const steps = words.reduce((sum, word) => sum + word.pauseSteps + word.steps, endSteps);
  const samples = new Int16Array(steps * STEP_SAMPLES);
  let at = 0;
  for (const word of words) {
    at += word.pauseSteps;
    samples.fill(word.loudness, at * STEP_SAMPLES, (at + word.steps) * STEP_SAMPLES);
    at += word.steps;
  }
  return { samples, truth: wordsIn(samples) };
}

/** Runs of one loudness, whole or cut off. */
export function wordsIn(samples: Int16Array): RecognizedWord[] {
  const words: RecognizedWord[] = [];
  for (let at = 0; at < samples.length; at += STEP_SAMPLES) {
    const loudness = samples[at] as number;
    if (loudness < 2000) continue;
    const [startMs, last] = [(at * 1000) / RECOGNITION_RATE, words.at(-1)];
    if (last?.text === `w${loudness}` && last.endMs === startMs) last.endMs += DETECTION_STEP_MS;
    else words.push({ text: `w${loudness}`, startMs, endMs: startMs + DETECTION_STEP_MS, confidence: 1 });
  }
  return words;
}

export interface ScriptedRecognitionOptions {
  /** Turns of the event loop that the answer to the nth piece takes; none when absent. */
  turnsOf?: (piece: number) => number;
  /** What goes wrong with the nth piece of a task. */
  failureOf?: (task: RecognitionTask, piece: number) => Error | null;
  /** Language of all words; English when absent. */
  language?: string;
  /** The word of each loudness; `w2001` and so on when absent. */
  textOf?: (loudness: number) => string;
  /** Recognizers and detectors that are loaded; one English of either when absent. */
  models?: readonly ServedModel[];
}

const servedModel = (name: string, task: "transcribe" | "vad", languages: string[]): ServedModel => ({
  name,
  task,
  languages,
  sampleRate: RECOGNITION_RATE,
  speakers: [],
  maxBatch: 4,
  provider: "cpu",
});
export const scriptedRecognizer = servedModel("parley-asr-en", "transcribe", ["en"]);
export const scriptedDetector = servedModel("parley-vad", "vad", ["*"]);

/** A recognition path without a cluster: recognizers for the words of `audioOfWords`. */
export class ScriptedRecognition implements Pick<RecognitionClient, "open" | "served"> {
  readonly opened: RecognitionStreamSettings[] = [];
  /** Length of every piece that was to be recognized, in samples. */
  readonly lengths: { task: RecognitionTask; samples: number }[] = [];
  openStreams = 0;
  /** Most audio that was out to the recognizer at once, in samples. */
  mostOut = 0;
  #out = 0;
  readonly #options: ScriptedRecognitionOptions;

  constructor(options: ScriptedRecognitionOptions = {}) {
    this.#options = options;
  }

  served(task: RecognitionTask): ServedModel[] {
    return (this.#options.models ?? [scriptedRecognizer, scriptedDetector]).filter((model) => model.task === task);
  }

  open(settings: RecognitionStreamSettings): RecognitionStream {
    this.opened.push(settings);
    this.openStreams++;
    const stream = new AbortController();
    return {
      recognize: (samples, { signal }) =>
        this.#recognize(
          settings.task,
          samples,
          AbortSignal.any([stream.signal, ...(signal === undefined ? [] : [signal])]),
        ),
      close: () => {
        if (!stream.signal.aborted) this.openStreams--;
        stream.abort();
      },
    };
  }

  async #recognize(task: RecognitionTask, samples: Int16Array, signal: AbortSignal): Promise<RecognitionOutput> {
    const piece = this.lengths.filter((length) => length.task === task).length;
    this.lengths.push({ task, samples: samples.length });
    if (task === "transcribe") this.#out += samples.length;
    this.mostOut = Math.max(this.mostOut, this.#out);
    try {
      for (let turns = this.#options.turnsOf?.(piece) ?? 0; turns > 0; turns--) {
        await nextTurn();
        signal.throwIfAborted();
      }
      const failure = this.#options.failureOf?.(task, piece) ?? null;
      if (failure !== null) throw failure;
      if (task === "vad") return { task, speech: loudSteps(samples) };
      const textOf = this.#options.textOf ?? ((loudness) => `w${loudness}`);
      const words = wordsIn(samples).map((word) => ({ ...word, text: textOf(Number(word.text.slice(1))) }));
      return { task, words, language: this.#options.language ?? "en" };
    } finally {
      if (task === "transcribe") this.#out -= samples.length;
    }
  }
}

function loudSteps(samples: Int16Array): Uint8Array {
  return Uint8Array.from({ length: Math.ceil(samples.length / STEP_SAMPLES) }, (_, step) =>
    (samples[step * STEP_SAMPLES] as number) >= 2000 ? 255 : 0,
  );
}
