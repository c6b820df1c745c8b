import { and, eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { type UsageRecord, usageOutcomes } from "#protocol/bus/control";
import type { Db } from "../database/database.js";
import { teams, usageRecords, voices } from "../database/schema.js";
import { type Charge, postCharges } from "../ledger/post.js";
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
  outcome: z.enum(usageOutcomes),
  traceId: z.string(),
  /** Between 1970 and 2096: a date that no calendar knows would be tried again for ever. */
  finishedAtMs: z.number().min(0).max(4e12),
  voiceIds: z.array(z.string()).max(64).optional(),
  conversationMs: count.optional(),
  agentId: z.string().optional(),
});

/** What settling some usage did. */
export interface Settlement {
  /** How many records were booked, those that took the place of a partial one among them. */
  settled: number;
  /** How many changed nothing: their usage id was settled before, or nobody knows their team. */
  repeated: number;
  /** Teams of which this very usage took the last of the credit: whoever remembers their keys must ask again. */
  exhaustedTeamIds: string[];
}

/** A record that is booked, and what of its cost is new. */
interface Booked {
  usage: UsageRecord;
  costMicros: number;
  /** Whether a partial record was booked before. */
  isRest: boolean;
}

/**
 * Books requests, all or nothing: records them, takes their cost from their teams and counts a task for the voices that
 * spoke. The same `usageId` is booked once however often and from however many instances it comes; only a partial
 * record gives way to that of the real end, which then costs what it has more. Of concurrent requests exactly one finds
 * that it exhausted the credit.
 */
export async function settleUsage(db: Db, usages: readonly UsageRecord[], now: Date): Promise<Settlement> {
  return await db.transaction(async (tx) => {
    const teamIds = [...new Set(usages.map(({ teamId }) => teamId))];
    const known = new Set(
      (await tx.select({ id: teams.id }).from(teams).where(inArray(teams.id, teamIds))).map(({ id }) => id),
    );
    const due = distinct(usages.filter(({ teamId }) => known.has(teamId)));
    const booked = due.length === 0 ? [] : await book(tx, due, now);
    await countTasks(tx, booked);
    const exhaustedTeamIds = await charge(tx, booked, now);
    return { settled: booked.length, repeated: usages.length - booked.length, exhaustedTeamIds };
  });
}

/**
 * One record of each usage id, a real end before a partial record. In the order of the ids: two instances with the same
 * records must not lock each other out.
 */
function distinct(usages: readonly UsageRecord[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const usage of usages) {
    const other = byId.get(usage.usageId);
    if (other === undefined || (other.outcome === "partial" && usage.outcome !== "partial"))
      byId.set(usage.usageId, usage);
  }
  return [...byId.values()].sort((a, b) => (a.usageId < b.usageId ? -1 : 1));
}

async function book(tx: Db, due: readonly UsageRecord[], now: Date): Promise<Booked[]> {
  const inserted = await tx
    .insert(usageRecords)
    .values(due.map((usage) => usageRowOf(usage, now)))
    .onConflictDoNothing()
    .returning({ usageId: usageRecords.usageId });
  const isNew = new Set(inserted.map(({ usageId }) => usageId));
  const booked = due
    .filter(({ usageId }) => isNew.has(usageId))
    .map((usage): Booked => ({ usage, costMicros: costMicros(usage), isRest: false }));
  const late = due.filter(({ usageId, outcome }) => !isNew.has(usageId) && outcome !== "partial");
  return late.length === 0 ? booked : [...booked, ...(await replacePartial(tx, late, now))];
}

/** Of records whose usage id is booked, those that are the real end of a request booked as partial. */
async function replacePartial(tx: Db, late: readonly UsageRecord[], now: Date): Promise<Booked[]> {
  const partial = await tx
    .select({ usageId: usageRecords.usageId, costMicros: usageRecords.costMicros })
    .from(usageRecords)
    .where(
      and(
        inArray(
          usageRecords.usageId,
          late.map(({ usageId }) => usageId),
        ),
        eq(usageRecords.outcome, "partial"),
      ),
    )
    .orderBy(usageRecords.usageId)
    .for("update");
  const costs = new Map(partial.map((row) => [row.usageId, row.costMicros]));
  const replaced: Booked[] = [];
  for (const usage of late) {
    const bookedMicros = costs.get(usage.usageId);
    if (bookedMicros === undefined) continue;
    const row = usageRowOf(usage, now);
    // An end never has less than what was reported before it; were it so, what is charged stays charged.
    const total = Math.max(row.costMicros, bookedMicros);
    await tx
      .update(usageRecords)
      .set({ ...row, costMicros: total })
      .where(eq(usageRecords.usageId, usage.usageId));
    replaced.push({ usage, costMicros: total - bookedMicros, isRest: true });
  }
  return replaced;
}

/** A record as the database has it. */
export function usageRowOf(usage: UsageRecord, now: Date): typeof usageRecords.$inferSelect {
  return {
    usageId: usage.usageId,
    teamId: usage.teamId,
    keyId: usage.keyId,
    route: usage.route,
    model: usage.model,
    characters: usage.characters,
    audioMs: usage.audioMs,
    conversationMs: usage.conversationMs ?? 0,
    agentId: usage.agentId ?? "",
    firstAudioMs: usage.firstAudioMs,
    totalMs: usage.totalMs,
    costMicros: costMicros(usage),
    outcome: usage.outcome,
    traceId: usage.traceId,
    finishedAt: new Date(usage.finishedAtMs),
    settledAt: now,
  };
}

/** One by one and in order: two batches with the same voices must not lock each other out. */
async function countTasks(tx: Db, booked: readonly Booked[]): Promise<void> {
  const tasks = new Map<string, number>();
  for (const { usage, isRest } of booked) {
    if (isRest) continue;
    for (const voiceId of new Set(usage.voiceIds ?? [])) tasks.set(voiceId, (tasks.get(voiceId) ?? 0) + 1);
  }
  for (const [voiceId, count] of [...tasks].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await tx
      .update(voices)
      .set({ taskCount: sql`${voices.taskCount} + ${count}` })
      .where(eq(voices.id, voiceId));
  }
}

/**
 * Takes the cost from each team, in order as above; gives the teams that have nothing left now and had something
 * before.
 */
async function charge(tx: Db, booked: readonly Booked[], now: Date): Promise<string[]> {
  const charges = new Map<string, Charge[]>();
  for (const { usage, costMicros, isRest } of booked) {
    if (costMicros === 0) continue;
    const ofTeam = charges.get(usage.teamId) ?? [];
    charges.set(usage.teamId, [
      ...ofTeam,
      { id: `usage:${usage.usageId}${isRest ? ":rest" : ""}`, note: usage.model, costMicros },
    ]);
  }
  const exhausted: string[] = [];
  for (const [teamId, ofTeam] of [...charges].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Bookings of one team wait for each other: each sees the credit that the one before left.
    const { creditBefore, creditAfter } = await postCharges(tx, teamId, ofTeam, now);
    if (creditBefore > 0 && creditAfter <= 0) exhausted.push(teamId);
  }
  return exhausted;
}
