import { z } from "zod";
import {
  dataFieldTypes,
  eagernessLevels,
  firstMessageModes,
  interruptionSensitivities,
  modelTiers,
  speakingLanguages,
  summaryLanguages,
  transferModes,
  voicemailActions,
  warmConnectModes,
} from "./config-values.js";
import { timestamp } from "./text.js";

/**
 * A secret as the database holds it: encrypted, and with an id that changes when the secret does. The id takes the
 * secret's part in the config hash, so that encrypting the same secret anew changes nothing.
 */
const storedSecret = z.object({ sealed: z.string(), revision: z.string() });
export type StoredSecret = z.output<typeof storedSecret>;

const prompt = z.object({
  system_prompt: z.string().default(""),
  first_message_mode: z.enum(firstMessageModes).default("prompt"),
  first_message: z.string().default("Hello! What can I do for you?"),
  first_message_prompt: z.string().default("Greet the caller in one short sentence and offer your help."),
});

const voice = z.object({
  /** Empty is the service's default voice. */
  voice_id: z.string().default(""),
  speaking_language: z.enum(speakingLanguages).default("en"),
  expressive: z.boolean().default(false),
});

const voicemail = z.object({ action: z.enum(voicemailActions).default("hangup"), message: z.string().default("") });

/** Null, as a whole or for the voicemail, is what `defaultOutbound` says. */
const outbound = z.object({ amd_enabled: z.boolean().default(true), voicemail: voicemail.nullable().default(null) });

/** How an agent calls out as long as nobody has said otherwise. */
export const defaultOutbound = { amd_enabled: true, voicemail: { action: "hangup", message: "" } } as const;

const conversation = z.object({
  max_duration_seconds: z.int().default(1800),
  eagerness: z.enum(eagernessLevels).default("balanced"),
  interruptible: z.boolean().default(true),
  interruption_sensitivity: z.enum(interruptionSensitivities).default("balanced"),
  reengage_enabled: z.boolean().default(false),
  hangup_after_seconds: z.int().default(60),
  hangup_farewell_enabled: z.boolean().default(false),
  record_audio: z.boolean().default(true),
  timezone: z.string().default(""),
  transfer_destinations: z
    .array(
      z.object({
        type: z.literal("phone"),
        label: z.string(),
        phone_number: z.string(),
        mode: z.enum(transferModes),
        warm_connect: z.enum(warmConnectModes),
      }),
    )
    .default([]),
  outbound: outbound.nullable().default(null),
});

const tools = z.object({
  enabled: z.boolean().default(true),
  tool_ids: z.array(z.string()).default([]),
  system_tools: z.object({ hang_up_call: z.boolean().default(false) }).prefault({}),
});

const knowledgeBase = z.object({
  enabled: z.boolean().default(false),
  knowledge_source_ids: z.array(z.string()).default([]),
});

const summary = z.object({
  enabled: z.boolean().default(true),
  /** Null is the service's own. */
  prompt: z.string().nullable().default(null),
  language: z.enum(summaryLanguages).default("en"),
});

const analysis = z.object({
  summary: summary.prefault({}),
  data_fields: z
    .array(
      z.object({
        name: z.string(),
        type: z.enum(dataFieldTypes),
        description: z.string(),
        enum_options: z.array(z.string()).nullable(),
      }),
    )
    .default([]),
  criteria: z.array(z.object({ name: z.string(), description: z.string() })).default([]),
});

const guardrails = z.object({ focus: z.boolean().default(false), manipulation: z.boolean().default(false) });

const tier = z.enum(modelTiers).default("medium");
const timeoutSeconds = z.number().default(5);
const secret = storedSecret.nullable().default(null);

const shared = {
  prompt: prompt.prefault({}),
  voice: voice.prefault({}),
  conversation: conversation.prefault({}),
  tools: tools.prefault({}),
  knowledge_base: knowledgeBase.prefault({}),
  analysis: analysis.prefault({}),
  guardrails: guardrails.prefault({}),
};

/** A configuration as it is stored, secrets encrypted; `agentConfig.parse({})` is the default one. */
export const agentConfig = z.object({
  ...shared,
  webhooks: z
    .object({
      conversation_init: z
        .object({ url: z.string(), secret, timeout_seconds: timeoutSeconds })
        .nullable()
        .default(null),
      post_call: z.array(z.object({ url: z.string(), secret })).default([]),
    })
    .prefault({}),
  llm: z
    .object({
      tier,
      custom: z.object({ base_url: z.string(), model: z.string(), api_key: secret }).nullable().default(null),
    })
    .prefault({}),
});
export type AgentConfig = z.output<typeof agentConfig>;

/**
 * A configuration as callers read it: of secrets only whether there is one. Every section can be written back as it is,
 * so there is no null where a change may not have one: outbound calls have their defaults, and a summary without a
 * prompt of its own an empty one.
 */
export const configEntity = z.object({
  agent_id: z.string(),
  config_hash: z.string(),
  ...shared,
  conversation: conversation.extend({ outbound: outbound.extend({ voicemail }) }),
  analysis: analysis.extend({ summary: summary.extend({ prompt: z.string() }) }),
  webhooks: z.object({
    conversation_init: z.object({ url: z.string(), has_secret: z.boolean(), timeout_seconds: z.number() }).nullable(),
    post_call: z.array(z.object({ url: z.string(), has_secret: z.boolean() })),
  }),
  llm: z.object({
    /** Without effect beside a custom model: it is what the model's removal returns to. */
    tier: z.enum(modelTiers),
    custom: z.object({ base_url: z.string(), model: z.string(), api_key: z.null() }).nullable(),
  }),
  updated_at: timestamp,
});
export type ConfigEntity = z.output<typeof configEntity>;
