import { ServiceError } from "#protocol/errors";
import { defaultSpeechModel, type SpeechModel, speechModelAliases, speechModels } from "#protocol/speech/request";
import type { Config } from "#common/config/config";

/** The model a caller asked for, and the folder that serves it here. */
export interface ChosenModel {
  name: SpeechModel;
  folder: string;
}

/**
 * Reads the `model` header: absent or empty is the documented default; a vendor prefix (`fish-audio/s1`) is dropped; aliases of older
 * clients and of `PARLEY_MODEL_ALIASES` are followed. Throws `unknown_model`, which lists the four names.
 */
export function chooseModel(header: string | undefined, config: Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_MODEL_MAP">): ChosenModel {
  const asked = (header ?? "").trim().replace(/^(service|fish-audio)\//, "") || defaultSpeechModel;
  const aliased = own(config.PARLEY_MODEL_ALIASES, asked) ?? own(speechModelAliases, asked) ?? asked;
  const name = speechModels.find((model) => model === aliased);
  if (name === undefined) throw new ServiceError("unknown_model", { parameters: { models: speechModels.join(", ") } });
  return { name, folder: own(config.PARLEY_MODEL_MAP, name) ?? name };
}

/** Whether a model takes free descriptions in brackets as directions (script/script.ts). */
export const takesFreeTags = (model: SpeechModel): boolean => model !== "s1";

function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
