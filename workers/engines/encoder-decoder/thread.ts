import { type Recognized, openWhisper, type WhisperRecognizer, type WhisperSource } from "./recognizer.js";

/** What a thread is asked: open a model and say what it is, or recognize with it. Each thread opens each model once. */
export type WhisperTask =
  | { kind: "open"; source: WhisperSource }
  | {
      kind: "recognize";
      source: WhisperSource;
      samples: Int16Array;
      language: string | null;
      /** Shared with the event loop: not 0 when the piece is not wanted any more. */
      unwanted: Int32Array;
    };

export type OpenedWhisper = Pick<WhisperRecognizer, "provider" | "refused" | "languages">;

const recognizers = new Map<string, Promise<WhisperRecognizer>>();

export default async function handle(task: WhisperTask): Promise<OpenedWhisper | Recognized | null> {
  const recognizer = await open(task.source);
  if (task.kind === "recognize")
    return await recognizer.recognize(task.samples, task.language, () => Atomics.load(task.unwanted, 0) !== 0);
  const { provider, refused, languages } = recognizer;
  return { provider, refused, languages };
}

function open(source: WhisperSource): Promise<WhisperRecognizer> {
  const key = source.paths.encoder;
  const known = recognizers.get(key) ?? openWhisper(source);
  recognizers.set(key, known);
  known.catch(() => recognizers.delete(key));
  return known;
}
