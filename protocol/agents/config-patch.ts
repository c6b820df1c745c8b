import { z } from "zod";
import { recordText } from "../text.js";
import {
  analysisNamePattern,
  configLimits,
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
import { e164Number, isTimezone, reference } from "./text.js";

const analysisName = z
  .string()
  .regex(analysisNamePattern, { message: "Input should match the pattern ^[a-z][a-z0-9_]{0,63}$" });

const webhook = {
  url: recordText(1, configLimits.webhookUrl),
  /** Write-only; absent or null keeps the one stored for the same url, empty removes it. */
  secret: recordText(0, configLimits.webhookSecret).nullable().optional(),
  /** As reads show it; ignored, so that what was read can be written back. */
  has_secret: z.boolean().optional(),
};

function withoutDuplicates<T extends z.ZodType>(
  list: z.ZodArray<T>,
  keyOf: (item: z.output<T>) => string,
  noun: string,
): z.ZodArray<T> {
  return list.refine((items) => new Set(items.map(keyOf)).size === items.length, { message: `${noun} must be unique` });
}

const referenceList = (max: number) => withoutDuplicates(z.array(reference).max(max), (id) => id, "Ids");

const timezone = recordText(0, 64).refine((name) => name === "" || isTimezone(name), {
  message: "Input should be an IANA time zone",
});

const postCallWebhook = z.strictObject(webhook);

const dataField = z
  .strictObject({
    name: analysisName,
    type: z.enum(dataFieldTypes).default("text"),
    description: recordText(0, 500).default(""),
    enum_options: z.array(recordText(1, 200)).nullable().default(null),
  })
  .refine(
    ({ type, enum_options }) =>
      type !== "enum" || (enum_options !== null && enum_options.length >= 2 && enum_options.length <= 20),
    { message: "An enum field has 2 to 20 options", path: ["enum_options"] },
  )
  .refine(({ type, enum_options }) => type === "enum" || enum_options === null, {
    message: "Only an enum field has options",
    path: ["enum_options"],
  })
  .refine(({ enum_options }) => new Set(enum_options ?? []).size === (enum_options ?? []).length, {
    message: "Options must be unique",
    path: ["enum_options"],
  });

const transferDestination = z.strictObject({
  type: z.literal("phone").default("phone"),
  label: recordText(0, 200).default(""),
  phone_number: e164Number,
  mode: z.enum(transferModes).default("cold"),
  warm_connect: z.enum(warmConnectModes).default("confirm"),
});

const promptPatch = z.strictObject({
  system_prompt: recordText(0, configLimits.systemPrompt).optional(),
  first_message_mode: z.enum(firstMessageModes).optional(),
  first_message: recordText(0, configLimits.firstMessage).optional(),
  first_message_prompt: recordText(0, configLimits.firstMessage).optional(),
});

const conversationPatch = z.strictObject({
  max_duration_seconds: z.int().min(60).max(3600).optional(),
  eagerness: z.enum(eagernessLevels).optional(),
  interruptible: z.boolean().optional(),
  interruption_sensitivity: z.enum(interruptionSensitivities).optional(),
  reengage_enabled: z.boolean().optional(),
  hangup_after_seconds: z.int().min(10).max(3600).optional(),
  hangup_farewell_enabled: z.boolean().optional(),
  record_audio: z.boolean().optional(),
  timezone: timezone.optional(),
  transfer_destinations: z.array(transferDestination).max(configLimits.transferDestinations).optional(),
  outbound: z
    .strictObject({
      amd_enabled: z.boolean().optional(),
      voicemail: z
        .strictObject({ action: z.enum(voicemailActions).optional(), message: recordText(0, 10_000).optional() })
        .optional(),
    })
    .optional(),
});

const webhooksPatch = z.strictObject({
  conversation_init: z
    .strictObject({ ...webhook, timeout_seconds: z.number().min(1).max(8).optional() })
    .nullable()
    .optional(),
  post_call: z
    .union([
      withoutDuplicates(
        z.array(postCallWebhook).max(configLimits.postCallWebhooks),
        ({ url }) => comparableUrl(url),
        "Webhook urls",
      ),
      // One object stands for a list of one, and null for an empty one.
      postCallWebhook.transform((only) => [only]),
      z.null().transform(() => []),
    ])
    .optional(),
});

/**
 * Two spellings of one address (`https://A.example`, `https://a.example:443/`) are one endpoint: equal texts for equal
 * endpoints.
 */
export function comparableUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

const analysisPatch = z.strictObject({
  summary: z
    .strictObject({
      enabled: z.boolean().optional(),
      prompt: recordText(0, 1000).optional(),
      language: z.enum(summaryLanguages).optional(),
    })
    .optional(),
  data_fields: withoutDuplicates(
    z.array(dataField).max(configLimits.dataFields),
    ({ name }) => name,
    "Names",
  ).optional(),
  criteria: withoutDuplicates(
    z
      .array(z.strictObject({ name: analysisName, description: recordText(0, 500).default("") }))
      .max(configLimits.criteria),
    ({ name }) => name,
    "Names",
  ).optional(),
});

/** `tier` and `custom` exclude each other: `applyPatch` checks it, which knows what was shown. */
const llmPatch = z.strictObject({
  tier: z.enum(modelTiers).optional(),
  custom: z
    .strictObject({
      base_url: recordText(1, 2000).refine((url) => /^https:\/\//i.test(url), {
        message: "Input should be an https address",
      }),
      model: recordText(1, 256),
      /** Write-only; absent or null keeps the stored key. */
      api_key: recordText(1, 4096).nullable().optional(),
    })
    .nullable()
    .optional(),
});

/**
 * Body of `PATCH /v1/agent/agents/{id}/config`: what is absent keeps its value, objects are merged, lists replaced, an
 * empty string clears. Null is refused except where it removes (`webhooks.post_call`, `webhooks.conversation_init`,
 * `llm.custom`).
 */
export const configPatch = z.strictObject({
  prompt: promptPatch.optional(),
  voice: z
    .strictObject({
      voice_id: recordText(0, 256).optional(),
      speaking_language: z.enum(speakingLanguages).optional(),
      expressive: z.boolean().optional(),
    })
    .optional(),
  conversation: conversationPatch.optional(),
  tools: z
    .strictObject({
      enabled: z.boolean().optional(),
      tool_ids: referenceList(configLimits.toolIds).optional(),
      system_tools: z.strictObject({ hang_up_call: z.boolean().optional() }).optional(),
    })
    .optional(),
  webhooks: webhooksPatch.optional(),
  knowledge_base: z
    .strictObject({
      enabled: z.boolean().optional(),
      knowledge_source_ids: referenceList(configLimits.knowledgeSourceIds).optional(),
    })
    .optional(),
  analysis: analysisPatch.optional(),
  guardrails: z.strictObject({ focus: z.boolean().optional(), manipulation: z.boolean().optional() }).optional(),
  llm: llmPatch.optional(),
});
export type ConfigPatch = z.output<typeof configPatch>;
