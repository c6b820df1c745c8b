import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { UsageRecord } from "#protocol/bus/control";
import type { Records } from "../database/database.js";
import { teams, usageRecords, voices } from "../database/schema.js";
import { post } from "../ledger/post.js";
import { costMicros } from "./prices.js";

const count = z.int().min(0);

/** Usage as it comes off the bus: an edge of another release may send more or less than this one knows. */
export const usageRecord = z.object({
  usageId: z.string().min(1).max(128),
  teamId: z.string(),
  keyId: z.string(),
  route: z.string(),
  model: z.string(),
  characters: count,
  audioMs: z.number().min(0).transform(Math.round),
  firstAudioMs: z.number().nullable(),
  totalMs: z.number(),
  outcome: z.enum(["completed", "cancelled", "failed"]),
  traceId: z.string(),
  /** Between 1970 and 2096: a date that no calendar knows would be tried again for ever. */
  finishedAtMs: z.number().min(0).max(4e12),
  voiceIds: z.array(z.string()).max(64).optional(),
});

/** What settling did. `repeated`: this usage id was settled before and nothing changed. */
export interface Settlement {
  repeated: boolean;
  /** True when this very request used the last of the credit: whoever remembers the team's keys must ask again. */
  exhausted: boolean;
}

/**
 * Books one request: records it, takes its cost from the team and counts a task for the voices that spoke, all or nothing.
 * The same `usageId` is booked once however often and from however many instances it comes. Of concurrent requests exactly one
 * finds that it exhausted the credit. Usage of an unknown team is dropped as repeated.
 */
export async function settleUsage(records: Records, usage: UsageRecord, now: Date): Promise<Settlement> {
  const cost = costMicros(usage);
  return await records.transaction(async (step) => {
    const known = await step.select({ id: teams.id }).from(teams).where(eq(teams.id, usage.teamId));
    if (known.length === 0) return { repeated: true, exhausted: false };
    const inserted = await step
      .insert(usageRecords)
      .values({
        usageId: usage.usageId,
        teamId: usage.teamId,
        keyId: usage.keyId,
        route: usage.route,
        model: usage.model,
        characters: usage.characters,
        audioMs: usage.audioMs,
        costMicros: cost,
        outcome: usage.outcome,
        traceId: usage.traceId,
        finishedAt: new Date(usage.finishedAtMs),
        settledAt: now,
      })
      .onConflictDoNothing()
      .returning({ usageId: usageRecords.usageId });
    if (inserted.length === 0) return { repeated: true, exhausted: false };
    const spoken = [...new Set(usage.voiceIds ?? [])].sort();
    for (const voiceId of spoken) {
      // One by one and in order: two requests with the same voices must not lock each other out.
      await step
        .update(voices)
        .set({ taskCount: sql`${voices.taskCount} + 1` })
        .where(eq(voices.id, voiceId));
    }
    if (cost === 0) return { repeated: false, exhausted: false };
    // Bookings of one team wait for each other: each sees the credit that the one before left.
    const { creditBefore, creditAfter } = await post(
      step,
      {
        id: `usage:${usage.usageId}`,
        teamId: usage.teamId,
        kind: "usage",
        note: usage.model,
        postings: { credit: -cost, spent: cost },
        mayOverdraw: true,
      },
      now,
    );
    return { repeated: false, exhausted: creditBefore > 0 && creditAfter <= 0 };
  });
}
