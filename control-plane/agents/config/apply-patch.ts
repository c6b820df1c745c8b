import { newIdentifier } from "#common/identifier";
import { type AgentConfig, agentConfig, defaultOutbound, type StoredSecret } from "#protocol/agents/config";
import { type ConfigPatch, comparableUrl } from "#protocol/agents/config-patch";
import { ServiceError } from "#protocol/errors";
import { deepMerge } from "./deep-merge.js";
import type { SecretBox, SecretPurpose } from "#common/secrets/secret-box";

/**
 * Gives a configuration changed by a checked patch. Lists are replaced as a whole, but a webhook without a secret keeps
 * the one stored for its url: secrets are never shown, so whoever writes the list back cannot repeat them. At another
 * url it has none, as a custom model's key is asked for anew at another origin: a stranger would get it. An empty
 * secret removes. A secret that is sent again unchanged stays the same one. A tier removes a custom model, and a custom
 * model leaves the tier for the time after it. Throws `validation` for a missing key, and for another tier beside a
 * custom model; `location` is where the patch lies in the body.
 */
export function applyPatch(
  config: AgentConfig,
  patch: ConfigPatch,
  secrets: SecretBox,
  location: string[],
): AgentConfig {
  const { webhooks, llm, ...rest } = patch;
  const stored = {
    ...rest,
    webhooks: webhooks === undefined ? undefined : storedWebhooks(config, webhooks, secrets),
    llm: llm === undefined ? undefined : { ...llm, custom: storedModel(config, llm, secrets, location) },
  };
  return withoutDefaults(agentConfig.parse(deepMerge(config, stored)));
}

/**
 * What reads show although nobody has set it (`toConfigEntity`) is not stored when it comes back: nothing has changed
 * then, the hash included.
 */
function withoutDefaults(config: AgentConfig): AgentConfig {
  const { conversation, analysis } = config;
  const { summary } = analysis;
  return {
    ...config,
    conversation: {
      ...conversation,
      outbound: conversation.outbound === null ? null : storedOutbound(conversation.outbound),
    },
    analysis: { ...analysis, summary: { ...summary, prompt: summary.prompt === "" ? null : summary.prompt } },
  };
}

function storedOutbound({
  amd_enabled,
  voicemail: given,
}: NonNullable<AgentConfig["conversation"]["outbound"]>): AgentConfig["conversation"]["outbound"] {
  const { action, message } = defaultOutbound.voicemail;
  const voicemail = given?.action === action && given.message === message ? null : given;
  return amd_enabled === defaultOutbound.amd_enabled && voicemail === null ? null : { amd_enabled, voicemail };
}

function storedWebhooks(config: AgentConfig, patch: NonNullable<ConfigPatch["webhooks"]>, secrets: SecretBox): unknown {
  const { conversation_init: init, post_call: postCall } = patch;
  const before = config.webhooks;
  return {
    conversation_init:
      init === undefined || init === null
        ? init
        : {
            url: init.url,
            secret: webhookSecret(
              "conversation_init",
              init,
              before.conversation_init === null ? [] : [before.conversation_init],
              secrets,
            ),
            timeout_seconds: init.timeout_seconds,
          },
    post_call: postCall?.map((entry) => ({
      url: entry.url,
      secret: webhookSecret("post_call", entry, before.post_call, secrets),
    })),
  };
}

interface GivenWebhook {
  url: string;
  secret?: string | null | undefined;
}

/** Both spellings of one address are one endpoint, so its secret goes nowhere else. */
function webhookSecret(
  purpose: SecretPurpose,
  given: GivenWebhook,
  before: readonly { url: string; secret: StoredSecret | null }[],
  secrets: SecretBox,
): StoredSecret | null {
  const kept = before.find(({ url }) => comparableUrl(url) === comparableUrl(given.url))?.secret ?? null;
  return given.secret === undefined || given.secret === null ? kept : sealer(secrets)(purpose, given.secret, kept);
}

function storedModel(
  config: AgentConfig,
  { tier, custom: patch }: NonNullable<ConfigPatch["llm"]>,
  secrets: SecretBox,
  location: string[],
): unknown {
  if (patch === undefined && tier !== undefined) return null;
  if (patch === undefined || patch === null) return patch;
  const before = config.llm.custom;
  // Reads show both: the tier beside a custom model is what its removal returns to.
  const isWrittenBack = before !== null && tier === config.llm.tier;
  if (tier !== undefined && !isWrittenBack)
    throw problemAt([...location, "llm", "custom"], "value_error", "tier and custom exclude each other");
  const { base_url, model, api_key } = patch;
  if (api_key !== undefined && api_key !== null)
    return { base_url, model, api_key: sealer(secrets)("llm", api_key, before?.api_key) };
  if (before !== null && before.api_key !== null && sameOrigin(before.base_url, base_url))
    return { base_url, model, api_key: before.api_key };
  throw problemAt([...location, "llm", "custom", "api_key"], "missing", "Field required");
}

function problemAt(loc: string[], type: string, msg: string): ServiceError {
  return new ServiceError("validation", { problems: [{ type, loc, msg }] });
}

function sameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

type Seal = (purpose: SecretPurpose, plain: string, before: StoredSecret | null | undefined) => StoredSecret | null;

/** Empty is none; what is stored already stays as it is. */
function sealer(secrets: SecretBox): Seal {
  return (purpose, plain, before) => {
    if (plain === "") return null;
    if (before !== null && before !== undefined && secrets.open(before.sealed, purpose) === plain) return before;
    return { sealed: secrets.seal(plain, purpose), revision: newIdentifier() };
  };
}
