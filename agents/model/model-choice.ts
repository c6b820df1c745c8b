import type { Config } from "#common/config/config";
import { SealError, type Sealer } from "#common/secrets/sealer";
import { secretBox } from "#common/secrets/secret-box";
import { withoutTrailing } from "#common/text/trim";
import type { ConversationPlan } from "#protocol/bus/conversation";
import type { ModelEndpoint } from "./openai-client.js";

/** The settings that name the platform's language model. */
export type ModelSettings = Pick<
  Config,
  "LLM_BASE_URL" | "LLM_API_KEY" | "LLM_MODEL" | "LLM_MODEL_INSTANT" | "LLM_MODEL_MEDIUM" | "LLM_MODEL_HIGH"
>;

/** What answers in a conversation. */
export type ModelChoice =
  /** The agent's own model: an address that a user chose. */
  | { kind: "custom"; endpoint: ModelEndpoint }
  /** The platform's: an address that the operator chose. */
  | { kind: "platform"; endpoint: ModelEndpoint }
  /** The agent's own model, whose key does not open. */
  | { kind: "locked"; model: string }
  /** No model at all: the embedded responder. */
  | { kind: "retrieval" };

/** Decides what answers: the agent's own model, else the platform's of the agent's tier, else the embedded responder. */
export function chooseModel(plan: ConversationPlan, settings: ModelSettings, sealer: Sealer): ModelChoice {
  const { custom, tier } = plan.config.llm;
  if (custom !== null) {
    try {
      const sealed = custom.api_key?.sealed ?? null;
      const apiKey = sealed === null ? null : secretBox(sealer, plan.agentId).open(sealed, "llm");
      return { kind: "custom", endpoint: { baseUrl: basePath(custom.base_url), model: custom.model, apiKey } };
    } catch (error) {
      if (error instanceof SealError) return { kind: "locked", model: custom.model };
      throw error;
    }
  }
  const byTier = {
    instant: settings.LLM_MODEL_INSTANT,
    medium: settings.LLM_MODEL_MEDIUM,
    high: settings.LLM_MODEL_HIGH,
  };
  const model = byTier[tier] ?? settings.LLM_MODEL;
  if (settings.LLM_BASE_URL === null || model === null) return { kind: "retrieval" };
  return {
    kind: "platform",
    endpoint: { baseUrl: basePath(settings.LLM_BASE_URL), model, apiKey: settings.LLM_API_KEY },
  };
}

/** The settings that name the model which judges agent tests, and the one that plays their callers. */
export type TestModelSettings = ModelSettings &
  Pick<
    Config,
    "AGENT_TEST_LLM_BASE_URL" | "AGENT_TEST_LLM_API_KEY" | "AGENT_TEST_LLM_MODEL" | "AGENT_TEST_LLM_CALLER_MODEL"
  >;

/** Decides what judges an agent's test or plays its caller: the model that is set for that, else the agent's own. */
export function chooseTestModel(
  part: "judge" | "caller",
  plan: ConversationPlan,
  settings: TestModelSettings,
  sealer: Sealer,
): ModelChoice {
  const { AGENT_TEST_LLM_BASE_URL: ownBase, AGENT_TEST_LLM_MODEL: judge } = settings;
  const model = part === "judge" ? judge : (settings.AGENT_TEST_LLM_CALLER_MODEL ?? judge);
  const baseUrl = ownBase ?? settings.LLM_BASE_URL;
  if (model === null || baseUrl === null) return chooseModel(plan, settings, sealer);
  const apiKey = ownBase === null ? settings.LLM_API_KEY : settings.AGENT_TEST_LLM_API_KEY;
  return { kind: "platform", endpoint: { baseUrl: basePath(baseUrl), model, apiKey } };
}

/** People give the address of the base, with a slash or without, or of the route itself. */
function basePath(url: string): string {
  const route = "/chat/completions";
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  return base.endsWith(route) ? base.slice(0, -route.length) : base;
}

/** Host and port of a URL, as an entry of an allow list. */
export function hostEntry(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${withoutTrailing(hostname, ".")}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
