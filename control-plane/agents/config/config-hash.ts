import { sha256Hex } from "#common/identifier";
import type { AgentConfig, StoredSecret } from "#protocol/agents/config";
import type { Attachments } from "../attachables.js";
import { canonicalJson } from "./canonical-json.js";

/**
 * Names a configuration by its content, that of the tools and knowledge attached to it included: a changed tool changes
 * every agent that has it. A secret takes part by its revision: no hash of it leaves, and encrypting it anew changes
 * nothing.
 */
export function configHash(config: AgentConfig, attachments: Attachments): string {
  const { webhooks, llm, ...rest } = config;
  const { conversation_init: init, post_call: postCall } = webhooks;
  const hashed = {
    ...rest,
    attachments,
    webhooks: {
      conversation_init: init === null ? null : { ...init, secret: revisionOf(init.secret) },
      post_call: postCall.map((entry) => ({ ...entry, secret: revisionOf(entry.secret) })),
    },
    llm: { ...llm, custom: llm.custom === null ? null : { ...llm.custom, api_key: revisionOf(llm.custom.api_key) } },
  };
  return `sha256:${sha256Hex(canonicalJson(hashed))}`;
}

function revisionOf(secret: StoredSecret | null): string | null {
  return secret === null ? null : secret.revision;
}
