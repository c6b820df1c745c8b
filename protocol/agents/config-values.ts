/**
 * Words and bounds of an agent's configuration (docs/protocol.md "Agents"), shared by what is sent and what is shown.
 */

export const firstMessageModes = ["off", "fixed", "prompt"] as const;
export const speakingLanguages = ["en", "ja", "zh", "ko", "es", "fr", "de"] as const;
export const eagernessLevels = ["relaxed", "balanced", "eager"] as const;
export const interruptionSensitivities = ["low", "balanced", "high"] as const;
export const transferModes = ["cold", "warm"] as const;
export type TransferMode = (typeof transferModes)[number];
export const warmConnectModes = ["confirm", "direct"] as const;
export const voicemailActions = ["hangup", "leave_message", "leave_prompt_message"] as const;
export const summaryLanguages = ["en", "zh", "ja", "ko", "es", "fr", "de", "pt", "ru", "ar"] as const;
export const dataFieldTypes = ["boolean", "text", "number", "enum"] as const;
export const modelTiers = ["instant", "medium", "high"] as const;

/** Name of an analysis field or criterion. */
export const analysisNamePattern = /^[a-z][a-z0-9_]{0,63}$/;

export const configLimits = {
  /** Characters; the tokens are counted too. */
  systemPrompt: 100_000,
  systemPromptTokens: 4000,
  firstMessage: 10_000,
  webhookUrl: 4000,
  webhookSecret: 256,
  postCallWebhooks: 5,
  toolIds: 100,
  knowledgeSourceIds: 100,
  transferDestinations: 50,
  dataFields: 20,
  criteria: 10,
} as const;

/** The model of the service that speaks for agents. */
export const agentSpeechModel = "s2.1-pro";
