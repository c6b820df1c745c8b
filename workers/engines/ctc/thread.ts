import type { RecognizedWord } from "#protocol/transcription/chunk";
import { openRecognizer, type Recognizer, type RecognizerPiece, type RecognizerSource } from "./recognizer.js";

/**
 * What a thread is asked: open a recognizer and say what it is, or recognize with it. Each thread opens each recognizer
 * once.
 */
export type RecognizerTask =
  | { kind: "open"; source: RecognizerSource }
  | {
      kind: "recognize";
      source: RecognizerSource;
      pieces: RecognizerPiece[];
      /** Shared with the event loop: piece `i` is not wanted any more when its entry is not 0. */
      unwanted: Int32Array;
    };

export type OpenedRecognizer = Pick<Recognizer, "layout" | "provider" | "refused">;

const recognizers = new Map<string, Promise<Recognizer>>();

export default async function handle(task: RecognizerTask): Promise<OpenedRecognizer | (RecognizedWord[] | null)[]> {
  const recognizer = await open(task.source);
  if (task.kind === "recognize")
    return await recognizer.recognize(task.pieces, (piece) => Atomics.load(task.unwanted, piece) !== 0);
  const { layout, provider, refused } = recognizer;
  return { layout, provider, refused };
}

function open(source: RecognizerSource): Promise<Recognizer> {
  const known = recognizers.get(source.graphPath) ?? openRecognizer(source);
  recognizers.set(source.graphPath, known);
  known.catch(() => recognizers.delete(source.graphPath));
  return known;
}
