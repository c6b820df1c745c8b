import { z } from "zod";
import type { AnalysisDatum, CriterionResult } from "./agents/analysis.js";
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
export interface WebhookSession {
  id: string;
  agent_id: string;
  branch_id: string | null;
  source: string;
  /** Such as `active` or `completed`. */
  status: string;
  direction: "inbound" | "outbound";
  dial_status: DialStatus | null;
  answered_by: AnsweredBy | null;
  /** Reserved. */
  batch_call_id: null;
  conversation_started_at: string | null;
  conversation_ended_at: string | null;
  duration_seconds: number | null;
  /** Empty when the session was created without one. */
  end_user_id: string;
  metadata: Record<string, unknown>;
  agent_name: string;
  config_hash: string;
}

export interface CallEndedPayload {
  event: "call.ended";
  session: WebhookSession;
  /** `hangup` and `error`; new values may appear. */
  ended_reason: string;
}

export interface CallAnalyzedPayload {
  event: "call.analyzed";
  session: WebhookSession;
  analysis: {
    status: "completed" | "skipped" | "error";
    summary: string | null;
    data: AnalysisDatum[];
    criteria_results: CriterionResult[];
    /** Cause, when the status is `error`. */
    error: string | null;
    finished_at: string;
  };
}

export interface DialFinishedPayload {
  event: "phone_call.dial_finished";
  session: WebhookSession;
  dial_status: DialStatus;
  answered_by: AnsweredBy | null;
}

export type WebhookPayload = CallEndedPayload | CallAnalyzedPayload | DialFinishedPayload;

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
