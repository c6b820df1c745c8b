import { type AgentConfig, type ConfigEntity, defaultOutbound } from "#protocol/agents/config";

/** A configuration as its team may read it: what is write-only left out. */
export function toConfigEntity(of: {
  agentId: string;
  config: AgentConfig;
  configHash: string;
  updatedAt: Date;
}): ConfigEntity {
  const { webhooks, llm, conversation, analysis, ...sections } = of.config;
  const { conversation_init: init, post_call: postCall } = webhooks;
  return {
    agent_id: of.agentId,
    config_hash: of.configHash,
    ...sections,
    conversation: {
      ...conversation,
      outbound: {
        ...defaultOutbound,
        ...conversation.outbound,
        voicemail: conversation.outbound?.voicemail ?? defaultOutbound.voicemail,
      },
    },
    analysis: { ...analysis, summary: { ...analysis.summary, prompt: analysis.summary.prompt ?? "" } },
    webhooks: {
      conversation_init:
        init === null
          ? null
          : { url: init.url, has_secret: init.secret !== null, timeout_seconds: init.timeout_seconds },
      post_call: postCall.map(({ url, secret }) => ({ url, has_secret: secret !== null })),
    },
    llm: {
      tier: llm.tier,
      custom: llm.custom === null ? null : { base_url: llm.custom.base_url, model: llm.custom.model, api_key: null },
    },
    updated_at: of.updatedAt.toISOString(),
  };
}
