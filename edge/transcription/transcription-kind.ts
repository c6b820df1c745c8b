import { chooseRecognizer } from "#transcription/recognizer-choice";
import type { ListeningContext } from "./context.js";

/**
 * What the overload gate calls transcriptions: all of them go to the same recognizers. Throws `no_worker` where there
 * is none.
 */
export function transcriptionKind(context: ListeningContext): string {
  return `listen ${chooseRecognizer(context.sound.served("listen"), undefined, context.config).folder}`;
}
