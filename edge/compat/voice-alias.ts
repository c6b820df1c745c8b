import type { Config } from "#common/config/config";

/**
 * The voice id that stands behind `name` by `PARLEY_VOICE_ALIASES`, where operators map other vendors' preset voices;
 * any other name as it is. The id may be empty or `default`: the model's own voice.
 */
export function voiceAlias(config: Pick<Config, "PARLEY_VOICE_ALIASES">, name: string): string {
  const aliases = config.PARLEY_VOICE_ALIASES;
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
}

/**
 * The saved voice or speaker that a request of OpenAI's protocol names, aliases followed; undefined for the model's own.
 */
export function openAiVoice(
  config: Pick<Config, "PARLEY_VOICE_ALIASES">,
  name: string | undefined,
): string | undefined {
  const id = voiceAlias(config, name ?? "");
  return id === "" || id === "default" ? undefined : id;
}
