import { agentSpeechModel } from "#protocol/agents/config-values";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { Config } from "#common/config/config";
import { chooseModel, speaks } from "#speech/voice/model";
import { chooseRecognizer } from "#transcription/recognizer-choice";

/** What ready workers serve for a task. */
export type Served = (task: ServedModel["task"]) => readonly ServedModel[];

/** The settings that say which model folder does what. */
export type ModelFolders = Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_MODEL_MAP">;

/**
 * Throws where a conversation in a language would be deaf or dumb: `no_worker` where no recognizer, or no voice, is
 * loaded at all, and `language_not_served` where none of those that are knows the language.
 */
export function requireSpeech(served: Served, folders: ModelFolders, language: string): void {
  try {
    chooseRecognizer(served("transcribe"), language, folders);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unknown_language") throw missing("recognizer", language);
    throw error;
  }
  const chosen = chooseModel(agentSpeechModel, folders);
  const voices = served("speak").filter(({ name }) => chosen.folders.includes(name));
  if (voices.length === 0) throw new ServiceError("no_worker", { parameters: { model: chosen.name } });
  if (!voices.some((voice) => speaks(voice, language))) throw missing("voice", language);
}

function missing(part: string, language: string): ServiceError {
  return new ServiceError("language_not_served", { parameters: { part, language } });
}
