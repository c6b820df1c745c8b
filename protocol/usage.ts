import { z } from "zod";

/** What `/v1/usage` can be told apart by. */
export const usageDimensions = ["day", "model", "key", "agent"] as const;
export type UsageDimension = (typeof usageDimensions)[number];

const date = z.iso.date();

const counts = {
  requests: z.int(),
  /** Requests that failed. They cost what they gave until then. */
  failed_requests: z.int(),
  /** Requests whose edge died: they count with what they had been given at its last report, a second before at most. */
  partial_requests: z.int(),
  characters: z.int(),
  audio_seconds: z.number(),
  /** Of conversations with agents, as far as they are charged. */
  conversation_seconds: z.number(),
  /** Credit, a decimal in text. */
  cost: z.string(),
};

/** Query of `GET /v1/usage`. */
export const usageQuery = z.object({
  /** First day, UTC. */
  start: date.optional(),
  /** Last day, included. */
  end: date.optional(),
  /** Comma-separated `usageDimensions`. */
  group_by: z
    .string()
    .transform((text) => text.split(",").map((word) => word.trim()))
    .pipe(z.array(z.enum(usageDimensions)).min(1))
    .optional(),
});

const usageLine = z.object({
  day: date.optional(),
  model: z.string().optional(),
  key_id: z.string().optional(),
  /** Empty for what was used outside of conversations. */
  agent_id: z.string().optional(),
  ...counts,
});
export type UsageLine = z.infer<typeof usageLine>;

/** Answer of `GET /v1/usage`: the team's own use, by day (UTC), model, key and agent as asked. */
export const usageReport = z.object({
  start: date,
  /** Inclusive. */
  end: date,
  group_by: z.array(z.enum(usageDimensions)),
  data: z.array(usageLine),
  /** True when there are more lines than the answer holds. */
  truncated: z.boolean(),
});
export type UsageReport = z.infer<typeof usageReport>;

/** How long something took, milliseconds, of so many. */
const latencySpread = z.object({ count: z.int(), p50: z.int(), p95: z.int(), p99: z.int() });
export type LatencySpread = z.infer<typeof latencySpread>;

/** Answer of `GET /v1/usage/activity`: what a team does now, and how fast it was answered in the last 24 hours. */
export const activityReport = z.object({
  live: z.object({
    /** Requests that have been given something and are not over, conversations' own among them; a second old. */
    requests: z.int(),
    conversations: z.int(),
  }),
  /** Until the first audio of spoken requests, outside of conversations; null where there were none. */
  first_audio_ms: latencySpread.nullable(),
  /** From the end of a caller's words to the beginning of the reply. */
  reply_ms: latencySpread.nullable(),
});
export type ActivityReport = z.infer<typeof activityReport>;
