import { openMoonshine } from "../moonshine/recognizer.js";
import type { MoonshineSource } from "../moonshine/source.js";
import { openWhisper } from "../whisper/recognizer.js";
import type { WhisperSource } from "../whisper/source.js";
import type { EncoderDecoder, Recognized } from "./recognizer.js";

/** Everything that makes a model of one of the two families. */
export type EncoderDecoderSource = WhisperSource | MoonshineSource;

/** What a thread is asked: open a model and say what it is, or recognize with it. Each thread opens each model once. */
export type EncoderDecoderTask =
  | { kind: "open"; source: EncoderDecoderSource }
  | {
      kind: "recognize";
      source: EncoderDecoderSource;
      samples: Int16Array;
      language: string | null;
      /** Shared with the event loop: not 0 when the piece is not wanted any more. */
      unwanted: Int32Array;
    };

/** What an opened model says of itself. */
export type OpenedModel = Pick<EncoderDecoder, "provider" | "refused" | "languages">;

const recognizers = new Map<string, Promise<EncoderDecoder>>();

export default async function handle(task: EncoderDecoderTask): Promise<OpenedModel | Recognized | null> {
  const recognizer = await open(task.source);
  if (task.kind === "recognize")
    return await recognizer.recognize(task.samples, task.language, () => Atomics.load(task.unwanted, 0) !== 0);
  const { provider, refused, languages } = recognizer;
  return { provider, refused, languages };
}

function open(source: EncoderDecoderSource): Promise<EncoderDecoder> {
  const key = source.paths.encoder;
  const known = recognizers.get(key) ?? (source.kind === "moonshine" ? openMoonshine(source) : openWhisper(source));
  recognizers.set(key, known);
  known.catch(() => recognizers.delete(key));
  return known;
}
