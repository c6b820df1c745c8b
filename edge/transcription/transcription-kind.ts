import { chooseRecognizer } from "#transcription/recognizer-choice";
import type { TranscriptionContext } from "./context.js";

/**
 * What the overload gate calls transcriptions: all of them go to the same recognizers. Throws `no_worker` where there
 * is none.
 */
export function transcriptionKind(context: TranscriptionContext): string {
  return `listen ${chooseRecognizer(context.recognition.served("transcribe"), undefined, context.config).folder}`;
}
