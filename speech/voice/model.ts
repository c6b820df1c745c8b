import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { VoiceSettings } from "#protocol/speech/chunk";
import { defaultSpeechModel, type SpeechModel, speechModelAliases, speechModels } from "#protocol/speech/request";
import type { Config } from "#common/config/config";
import { detectLanguage } from "#common/text/language";

/** The model a caller asked for, and the folders that may serve it here, in order of preference; never empty. */
export interface ChosenModel {
  name: SpeechModel;
  folders: string[];
}

/**
 * Reads the `model` header: absent or empty is the documented default; a vendor prefix (`fish-audio/s1`) is dropped;
 * aliases of older clients and of `PARLEY_MODEL_ALIASES` are followed. Throws `unknown_model`, which lists the four
 * names.
 */
export function chooseModel(
  header: string | undefined,
  config: Pick<Config, "PARLEY_MODEL_ALIASES" | "PARLEY_MODEL_MAP">,
): ChosenModel {
  const asked = (header ?? "").trim().replace(/^(service|fish-audio)\//, "") || defaultSpeechModel;
  const aliased = own(config.PARLEY_MODEL_ALIASES, asked) ?? own(speechModelAliases, asked) ?? asked;
  const name = speechModels.find((model) => model === aliased);
  if (name === undefined) throw new ServiceError("unknown_model", { parameters: { models: speechModels.join(", ") } });
  return { name, folders: modelFolders(own(config.PARLEY_MODEL_MAP, name) ?? name) };
}

/** The folders of an entry of `PARLEY_MODEL_MAP`: one, or several joined by `+`. */
function modelFolders(entry: string): string[] {
  return entry.split("+").map((folder) => folder.trim());
}

/** A model that may speak chunks of a stream. */
export type SpeakingModel = Pick<ServedModel, "name" | "languages">;

/**
 * The first of the models that speaks the language of a text; the first of all where none does, which will then say so.
 */
export function speakingModel(models: readonly SpeakingModel[], text: string, language: string | null): string {
  const wanted = language ?? detectLanguage(text);
  return (models.find((model) => speaks(model, wanted)) ?? models[0])?.name ?? "";
}

/**
 * What speaks a text in a voice: the model whose speaker was named where that speaks the language, else another one with
 * its own default speaker.
 */
export function speakingVoice(
  models: readonly SpeakingModel[],
  text: string,
  voice: VoiceSettings,
): { model: string; voice: VoiceSettings } {
  const { speakerModel } = voice;
  if (speakerModel === undefined) return { model: speakingModel(models, text, voice.language), voice };
  const model = speakingModel(withFirst(models, speakerModel), text, voice.language);
  return { model, voice: model === speakerModel ? voice : { ...voice, speaker: null } };
}

function withFirst(models: readonly SpeakingModel[], first: string): SpeakingModel[] {
  return [...models.filter(({ name }) => name === first), ...models.filter(({ name }) => name !== first)];
}

/** Whether a model speaks a language (BCP-47). */
export function speaks({ languages }: Pick<ServedModel, "languages">, language: string): boolean {
  const primary = (tag: string): string => tag.split(/[-_]/)[0]?.toLowerCase() ?? "";
  return languages.some((tag) => tag === "*" || primary(tag) === primary(language));
}

/** Whether a model takes free descriptions in brackets as directions (script/script.ts). */
export const takesFreeTags = (model: SpeechModel): boolean => model !== "s1";

function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
