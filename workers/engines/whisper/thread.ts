import { type Heard, openWhisper, type WhisperListener, type WhisperSource } from "./recognizer.js";

/** What a thread is asked: open a model and say what it is, or hear with it. Each thread opens each model once. */
export type WhisperTask =
  | { kind: "open"; source: WhisperSource }
  | {
      kind: "hear";
      source: WhisperSource;
      samples: Int16Array;
      language: string | null;
      /** Shared with the event loop: not 0 when the piece is not wanted any more. */
      unwanted: Int32Array;
    };

export type OpenedWhisper = Pick<WhisperListener, "provider" | "refused" | "languages">;

const listeners = new Map<string, Promise<WhisperListener>>();

export default async function handle(task: WhisperTask): Promise<OpenedWhisper | Heard | null> {
  const listener = await open(task.source);
  if (task.kind === "hear")
    return await listener.hear(task.samples, task.language, () => Atomics.load(task.unwanted, 0) !== 0);
  const { provider, refused, languages } = listener;
  return { provider, refused, languages };
}

function open(source: WhisperSource): Promise<WhisperListener> {
  const key = source.paths.encoder;
  const known = listeners.get(key) ?? openWhisper(source);
  listeners.set(key, known);
  known.catch(() => listeners.delete(key));
  return known;
}
