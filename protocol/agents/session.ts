import { z } from "zod";
import { endReasons, transferOutcomes } from "../bus/conversation-log.js";
import { looseBoolean } from "../loose.js";
import { pageEnvelope, pageQuery } from "../paging.js";
import { recordText } from "../text.js";
import { sessionAnalysis } from "./analysis.js";
import { configLimits, speakingLanguages, transferModes } from "./config-values.js";
import { isTimezone, reference, timestamp } from "./text.js";

export const sessionStatuses = ["pending", "active", "completed", "failed", "unknown"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
/** Where a session was created from; `dashboard` is a preview of the draft. */
export const sessionSources = ["api_key", "dashboard", "public", "phone"] as const;
export const sessionDirections = ["inbound", "outbound"] as const;

/** What usage of conversations has for its model: their minutes are charged, whatever speaks and answers in them. */
export const conversationModel = "conversation";

const sessionLimits = {
  dynamicVariables: 50,
  /** Unicode code points of one variable's text. */
  dynamicVariable: 1000,
  /** UTF-16 units of `metadata` and `llm_extra_body` as JSON. */
  freeJson: 65_536,
} as const;

const language = z.enum(speakingLanguages);

const exclusiveFirstMessages = "first_message and first_message_prompt exclude each other";
const oneVoice = "voice_id and voice_profile_id are one field";

/** What a session may have otherwise than its agent. */
export const overrides = z
  .strictObject({
    first_message: recordText(0, configLimits.firstMessage).nullish(),
    first_message_prompt: recordText(0, configLimits.firstMessage).nullish(),
    /** At most 4000 tokens besides, which is checked when the session is created. */
    system_prompt: recordText(0, configLimits.systemPrompt).nullish(),
    voice_id: recordText(0, 256).nullish(),
    /** The name of `voice_id` in older libraries. */
    voice_profile_id: recordText(0, 256).nullish(),
    language: language.nullish(),
  })
  .refine((given) => !isGiven(given.first_message) || !isGiven(given.first_message_prompt), {
    message: exclusiveFirstMessages,
    path: ["first_message_prompt"],
  })
  .refine((given) => !isGiven(given.voice_id) || !isGiven(given.voice_profile_id), {
    message: oneVoice,
    path: ["voice_profile_id"],
  });

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

const variableName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/);
const variableValue = z.union([recordText(0, sessionLimits.dynamicVariable), z.number(), z.boolean()]);

/** Values of `{{name}}` in the agent's texts. */
export const dynamicVariables = z
  .record(variableName, variableValue)
  .refine((variables) => Object.keys(variables).length <= sessionLimits.dynamicVariables, {
    message: `Dictionary should have at most ${sessionLimits.dynamicVariables} items`,
    params: { type: "too_long" },
  });

/** An object of the caller's own, which the database can keep and a message of the bus can carry. */
export const freeObject = z
  .record(z.string(), z.unknown())
  .refine((value) => isStorable(JSON.stringify(value)), {
    message: `Input should have at most ${sessionLimits.freeJson} characters as JSON, and no NUL characters or unpaired surrogates`,
  });

/** JSON writes U+0000 and lone surrogates as escapes, which the database refuses inside a document. */
function isStorable(json: string): boolean {
  return json.length <= sessionLimits.freeJson && !/\\u(?:0000|d[89a-f])/i.test(json.replaceAll("\\\\", ""));
}

/** Body of `POST /v1/agent/sessions`. Null is absent, as the vendor's libraries send it. */
export const sessionCreate = z.strictObject({
  agent_id: reference,
  name: recordText(0, 128).nullish(),
  timezone: recordText(0, 64)
    .refine((name) => name === "" || isTimezone(name), { message: "Input should be an IANA time zone" })
    .nullish(),
  /** What the caller's browser believes; one that is no zone is ignored. */
  client_timezone: z.string().max(64).nullish(),
  world_context: z.boolean().nullish(),
  language: language.nullish(),
  overrides: overrides.nullish(),
  dynamic_variables: dynamicVariables.nullish(),
  end_user_id: recordText(0, 256).nullish(),
  metadata: freeObject.nullish(),
  llm_extra_body: freeObject.nullish(),
  tool_events: z.boolean().nullish(),
  /** Null is as the agent's configuration says. */
  record_audio: z.boolean().nullish(),
});
export type SessionCreate = z.output<typeof sessionCreate>;

/** Query of `POST /v1/agent/sessions`. */
export const sessionCreateQuery = z.object({
  /** The session runs the draft, for whoever builds the agent: no webhook hears of it. */
  preview: looseBoolean(false),
});

/** Answer of `POST /v1/agent/sessions`. */
export const sessionToken = z.object({
  session_id: z.string(),
  /** Until when the token lets its bearer join. */
  expires_at: timestamp,
  max_duration_seconds: z.int(),
  transport: z.literal("livekit"),
  webrtc_url: z.string(),
  /** The same address. */
  livekit_url: z.string(),
  token: z.string(),
});
export type SessionToken = z.output<typeof sessionToken>;

const instant = timestamp.nullable();

/** A session as lists show it. */
const sessionSummary = z.object({
  session_id: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  name: z.string().nullable(),
  status: z.enum(sessionStatuses),
  source: z.enum(sessionSources),
  direction: z.enum(sessionDirections),
  dial_status: z.enum(["answered", "busy", "no_answer", "failed"]).nullable(),
  answered_by: z.enum(["human", "voicemail", "unknown"]).nullable(),
  caller_number: z.string().nullable(),
  dialed_number: z.string().nullable(),
  timezone: z.string().nullable(),
  created_at: timestamp,
  started_at: instant,
  ended_at: instant,
  duration_seconds: z.int().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
export type SessionSummary = z.output<typeof sessionSummary>;

const placed = { turn_id: z.int().nullable(), created_at: instant };
const called = { call_id: z.string(), tool_name: z.string(), tool_source: z.string().nullable() };

/** What was said and done in a session, in the order of `created_at`. */
const sessionItem = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), role: z.enum(["user", "assistant"]), content: z.string(), ...placed }),
  z.object({ type: z.literal("tool_call"), ...called, input: z.string(), ...placed }),
  z.object({
    type: z.literal("tool_result"),
    ...called,
    status: z.enum(["completed", "failed"]),
    output: z.string().nullable(),
    output_truncated: z.boolean(),
    error: z.string().nullable(),
    latency_ms: z.int().nullable(),
    ...placed,
  }),
]);
export type SessionItem = z.output<typeof sessionItem>;

const milliseconds = z.int().nullable();

/** How long a caller waited in one turn, from the end of what was said to the first audio of the reply. */
const turnLatencyEntity = z.object({
  turn_id: z.int(),
  total_ms: z.int(),
  endpointing_ms: milliseconds,
  recognition_ms: milliseconds,
  model_first_token_ms: milliseconds,
  first_clause_ms: milliseconds,
  first_audio_ms: milliseconds,
});
export type TurnLatencyEntity = z.output<typeof turnLatencyEntity>;

/** One transfer of a phone call. A warm one has another leg, from `answered_at` to `ended_at`. */
const transferEntity = z.object({
  /** As the model named it. */
  destination: z.string(),
  phone_number: z.string(),
  mode: z.enum(transferModes),
  outcome: z.enum(transferOutcomes),
  started_at: timestamp,
  /** When the destination of a warm transfer picked up. */
  answered_at: instant,
  /** When it and the caller began to hear each other. */
  connected_at: instant,
  ended_at: timestamp,
});
export type TransferEntity = z.output<typeof transferEntity>;

/** Answer of `GET /v1/agent/sessions/{session_id}`. */
export const sessionDetail = sessionSummary.extend({
  items: z.array(sessionItem),
  /** Null until the session is over, for previews until one is asked for, and where nobody joined. */
  analysis: sessionAnalysis.nullable(),
  turn_latencies: z.array(turnLatencyEntity),
  /** Turns whose reply was cut off, by the caller or by the end: of such a reply, the items have what was heard. */
  interrupted_turns: z.array(z.int()),
  /** What answered last, such as a model's name; null before the first reply. */
  responder: z.string().nullable(),
  ended_reason: z.enum(endReasons).nullable(),
  /** To whom the caller of a phone call was transferred, or was to be; empty until the session is over. */
  transfers: z.array(transferEntity),
});
export type SessionDetail = z.output<typeof sessionDetail>;

export const sessionList = pageEnvelope.extend({ sessions: z.array(sessionSummary) });

const moment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
  error:
    "Input should be an ISO 8601 time such as 2026-01-31T09:30:00Z (a plus in an address is written %2B), or a date",
});

/** Statuses, separated by commas. */
const statusList = z
  .string()
  .refine((text) => statusesOf(text) !== null, {
    message: `Input should be a list of ${sessionStatuses.join(", ")}, separated by commas`,
  });

/** The statuses of a list in text; null where one of them is none. */
export function statusesOf(text: string): SessionStatus[] | null {
  const words = text.split(",").map((word) => word.trim());
  const known = words.map((word) => sessionStatuses.find((status) => status === word));
  return known.every((status) => status !== undefined) ? known : null;
}

/** Query of `GET /v1/agent/sessions`. Without `status`, all but those that nobody has joined yet. */
export const sessionListQuery = pageQuery.extend({
  agent_id: z.string().optional(),
  status: statusList.optional(),
  direction: z.enum(sessionDirections).optional(),
  /** Digits without a plus get one. */
  caller_number: z.string().max(32).optional(),
  /** ISO 8601; a time without an offset is UTC. */
  created_after: moment.optional(),
  created_before: moment.optional(),
});
export type SessionListQuery = z.output<typeof sessionListQuery>;
