import { z } from "zod";
import { analysisDatum, criterionResult } from "./agents/analysis.js";
import { pageEnvelope, pageQuery } from "./paging.js";

/** Events that post-call webhooks carry, in the order in which one session's events come. */
const webhookEventNames = ["phone_call.dial_finished", "call.ended", "call.analyzed"] as const;
export type WebhookEventName = (typeof webhookEventNames)[number];

const dialStatuses = ["answered", "busy", "no_answer", "failed"] as const;
export type DialStatus = (typeof dialStatuses)[number];
/** Who picked up; null unless the dial was answered. */
const answerers = ["human", "voicemail", "unknown"] as const;
export type AnsweredBy = (typeof answerers)[number];

/**
 * Facts of a session in every payload. Names differ from the sessions API on purpose; transcripts are never part of it.
 */
const webhookSession = z.object({
  id: z.string(),
  agent_id: z.string(),
  branch_id: z.string().nullable(),
  source: z.string(),
  status: z.string().describe("Such as active or completed."),
  direction: z.enum(["inbound", "outbound"]),
  dial_status: z.enum(dialStatuses).nullable(),
  answered_by: z.enum(answerers).nullable(),
  batch_call_id: z.null().describe("Reserved."),
  conversation_started_at: z.string().nullable(),
  conversation_ended_at: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  end_user_id: z.string().describe("Empty when the session was created without one."),
  metadata: z.record(z.string(), z.unknown()),
  agent_name: z.string(),
  config_hash: z.string(),
});
export type WebhookSession = z.infer<typeof webhookSession>;

const callEndedPayload = z.object({
  event: z.literal("call.ended"),
  session: webhookSession,
  ended_reason: z.string().describe("hangup and error; new values may appear."),
});
export type CallEndedPayload = z.infer<typeof callEndedPayload>;

const callAnalyzedPayload = z.object({
  event: z.literal("call.analyzed"),
  session: webhookSession,
  analysis: z.object({
    status: z.enum(["completed", "skipped", "error"]),
    summary: z.string().nullable(),
    data: z.array(analysisDatum),
    criteria_results: z.array(criterionResult),
    error: z.string().nullable().describe("Cause, when the status is error."),
    finished_at: z.string(),
  }),
});
export type CallAnalyzedPayload = z.infer<typeof callAnalyzedPayload>;

const dialFinishedPayload = z.object({
  event: z.literal("phone_call.dial_finished"),
  session: webhookSession,
  dial_status: z.enum(dialStatuses),
  answered_by: z.enum(answerers).nullable(),
});
export type DialFinishedPayload = z.infer<typeof dialFinishedPayload>;

/** What post-call webhooks carry. */
export const webhookPayload = z.discriminatedUnion("event", [
  dialFinishedPayload,
  callEndedPayload,
  callAnalyzedPayload,
]);
export type WebhookPayload = z.infer<typeof webhookPayload>;

/** Timing of one delivery. */
export const webhookTiming = { attemptTimeoutMs: 10_000, retryDelaysMs: [1000, 5000] } as const;
/** How far a signature's time may be from the receiver's clock. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
/** Both carry the same value: the described service's name, and that of the one it describes. */
export const webhookSignatureHeaders = ["X-Service-Webhook-Signature", "X-Fish-Webhook-Signature"] as const;

export const webhookDeliveryStatuses = ["pending", "delivered", "failed"] as const;

const webhookAttempt = z.object({
  /** From 1. */
  number: z.int(),
  started_at: z.string(),
  duration_ms: z.int(),
  /** Null when there was no answer. */
  status_code: z.int().nullable(),
  /** Why it counts as failed; null for a success. */
  error: z.string().nullable(),
});

/** One event on its way to one endpoint. */
const webhookDelivery = z.object({
  delivery_id: z.string(),
  event: z.string(),
  agent_id: z.string(),
  session_id: z.string(),
  url: z.string(),
  status: z.enum(webhookDeliveryStatuses),
  attempts: z.array(webhookAttempt),
  /** The delivery that this one repeats on request; null for the service's own. */
  redelivery_of: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** With what was sent: the body to the byte, as text. */
export const webhookDeliveryDetail = webhookDelivery.extend({ body: z.string() });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetail>;

const filter = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .optional();
export const webhookDeliveryListQuery = pageQuery.extend({
  agent_id: filter,
  session_id: filter,
  event: z.enum(webhookEventNames).optional(),
  status: z.enum(webhookDeliveryStatuses).optional(),
});
export type WebhookDeliveryListQuery = z.infer<typeof webhookDeliveryListQuery>;

export const webhookDeliveryList = pageEnvelope.extend({ deliveries: z.array(webhookDelivery) });
export type WebhookDeliveryList = z.infer<typeof webhookDeliveryList>;

/**
 * Published after a transaction that wrote webhook events: deliverers look at once instead of at their next turn.
 * Carries nothing.
 */
export const webhookWakeSubject = "parley.events.webhook-wake";
