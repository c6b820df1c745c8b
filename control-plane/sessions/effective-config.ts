import type { overrideNames } from "#protocol/agents/agent";
import type { AgentConfig } from "#protocol/agents/config";
import type { SessionCreate } from "#protocol/agents/session";
import { ServiceError } from "#protocol/errors";
import { checkPrompt } from "../agents/config/checks.js";

type OverrideName = (typeof overrideNames)[number];

/** What a caller without a key may override, where the agent allows it. */
const visitorsOverrides: readonly OverrideName[] = ["voice_id", "language"];

/** What a session has otherwise than its agent's configuration; null is as configured. */
interface Overrides {
  firstMessage: string | null;
  firstMessagePrompt: string | null;
  systemPrompt: string | null;
  voiceId: string | null;
  language: AgentConfig["voice"]["speaking_language"] | null;
}

/** The override that each field of the body is; both first messages are one. */
const nameOf: Readonly<Record<keyof Overrides, OverrideName>> = {
  firstMessage: "first_message",
  firstMessagePrompt: "first_message",
  systemPrompt: "system_prompt",
  voiceId: "voice_id",
  language: "language",
};

/** The overrides of a request. Throws `validation` where two places name two languages. */
export function overridesOf({ overrides, language }: SessionCreate): Overrides {
  const inner = overrides?.language ?? null;
  const outer = language ?? null;
  if (inner !== null && outer !== null && inner !== outer) {
    const msg = "language and overrides.language differ";
    throw new ServiceError("validation", { problems: [{ type: "value_error", loc: ["body", "language"], msg }] });
  }
  return {
    firstMessage: overrides?.first_message ?? null,
    firstMessagePrompt: overrides?.first_message_prompt ?? null,
    systemPrompt: overrides?.system_prompt ?? null,
    voiceId: overrides?.voice_id ?? overrides?.voice_profile_id ?? null,
    language: inner ?? outer,
  };
}

/**
 * Throws `key_required` for what a caller without a key may not say at all, and `override_not_allowed` for what the
 * agent does not let sessions override: an override that is dropped would go unnoticed.
 */
export function requireAllowed(
  body: SessionCreate,
  overrides: Overrides,
  agent: { overridesAllowed: readonly OverrideName[]; isVisitor: boolean; isPreview: boolean },
): void {
  const keys = Object.keys(overrides) as (keyof Overrides)[];
  const used = [...new Set(keys.filter((key) => overrides[key] !== null).map((key) => nameOf[key]))];
  if (agent.isVisitor) {
    const refused = [
      ...(isGiven(body.name) ? ["name"] : []),
      ...(isGiven(body.llm_extra_body) ? ["llm_extra_body"] : []),
      ...(agent.isPreview ? ["preview"] : []),
      ...used.filter((name) => !visitorsOverrides.includes(name)).map((name) => `overrides.${name}`),
    ];
    if (refused.length > 0) throw new ServiceError("key_required", { parameters: { names: refused.join(", ") } });
  }
  const denied = used.filter((name) => !agent.overridesAllowed.includes(name));
  if (denied.length > 0) throw new ServiceError("override_not_allowed", { parameters: { names: denied.join(", ") } });
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** A configuration with overrides applied. An empty first message is none at all. */
export function withOverrides(config: AgentConfig, given: Overrides): AgentConfig {
  const { prompt, voice } = config;
  return {
    ...config,
    prompt: { ...prompt, ...firstMessageOf(given), system_prompt: given.systemPrompt ?? prompt.system_prompt },
    voice: {
      ...voice,
      voice_id: given.voiceId ?? voice.voice_id,
      speaking_language: given.language ?? voice.speaking_language,
    },
  };
}

function firstMessageOf({ firstMessage, firstMessagePrompt }: Overrides): Partial<AgentConfig["prompt"]> {
  if (firstMessage !== null)
    return { first_message_mode: firstMessage === "" ? "off" : "fixed", first_message: firstMessage };
  if (firstMessagePrompt !== null)
    return {
      first_message_mode: firstMessagePrompt === "" ? "off" : "prompt",
      first_message_prompt: firstMessagePrompt,
    };
  return {};
}

/** Throws `validation` for an override that is too long a prompt. */
export async function requireShortPrompt(prompt: string | null): Promise<void> {
  const problem = prompt === null ? null : await checkPrompt(prompt, ["body", "overrides", "system_prompt"]);
  if (problem !== null) throw new ServiceError("validation", { problems: [problem] });
}
