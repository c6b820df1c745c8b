import { and, asc, eq, gt, lt, or, type SQL, sql } from "drizzle-orm";
import { type AnalysisResult, noFindings } from "#protocol/agents/analysis";
import type { AnalysisJob } from "#protocol/bus/analyses";
import {
  type HeldRun,
  RUN_INTERVAL_MS,
  RUN_LEASE_MS,
  type TakeRun,
  type TakeRunReply,
} from "#protocol/bus/leased-runs";
import type { Db } from "../../database/database.js";
import { latestFrom } from "../../set-clock.js";
import type { SessionContext } from "../context.js";
import { agentSessions, type SessionRow } from "../tables.js";
import { heldBy, type SettleContext, settleAttempt } from "./settle.js";
import { type AnalysisRow, agentSessionAnalyses } from "./tables.js";
import { boundItems, readTranscript } from "./transcript.js";

/** Runtimes that may be lost over one analysis: it may be the analysis that kills them. */
const MAX_LOST = 5;

/**
 * How long runtimes have for renewing their leases once they can be heard again. One that takes longer does its
 * analysis for nothing: another one's result is stored. More than this would let none be taken over while this process
 * is restarted all the time.
 */
const RENEWAL_MS = RUN_INTERVAL_MS + 1000;

/** What the queue works with. */
export interface AnalysisQueue extends SettleContext {
  bus: Pick<SessionContext["bus"], "publish" | "subjectLog">;
  /** Since when runtimes can be heard: a lease that ended sooner may not have been renewed for want of anybody. */
  since: Date;
}

/**
 * Renews what a runtime holds, takes back what it releases, and gives it an analysis where it wants one and there is
 * one. Those that need no model are settled on the way. An analysis whose lease is over goes to whoever asks next,
 * under a later attempt; after the last runtime that it may cost it is an `error`.
 */
export async function takeAnalysis(queue: AnalysisQueue, asked: TakeRun): Promise<TakeRunReply<AnalysisJob>> {
  const { db, now } = queue;
  const at = now();
  for (const run of asked.released) await release(db, run);
  const lost = await renew(db, asked.held, at);
  // A clock that was set back since then has been set back further than that.
  if (asked.wantsOne && Math.abs(at.getTime() - queue.since.getTime()) >= RENEWAL_MS) await requeueLost(queue, at);
  for (;;) {
    const row = asked.wantsOne ? await claim(db, at) : null;
    if (row === null) return { job: null, lost };
    const held: HeldRun = { runId: row.sessionId, attempt: row.attempt };
    let found: AnalysisJob | AnalysisResult;
    try {
      found = await prepare(queue, held);
    } catch (error) {
      await release(db, held);
      throw error;
    }
    if ("runId" in found) return { job: found, lost };
    await settleAttempt(queue, { ...held, result: found });
  }
}

/** What a runtime needs, or the result where none is needed. */
async function prepare(queue: AnalysisQueue, held: HeldRun): Promise<AnalysisJob | AnalysisResult> {
  const [session] = await queue.db.select().from(agentSessions).where(eq(agentSessions.id, held.runId));
  if (session === undefined) throw new Error(`session ${held.runId} is gone`);
  const items = await readTranscript(queue, session);
  const hasSpoken = items.some((item) => item.type === "message" && item.role === "user" && item.content.trim() !== "");
  if (!hasSpoken) return { ...noFindings, status: "skipped", skip_reason: "caller_never_spoke" };
  return {
    ...held,
    plan: { ...session.plan, tools: [], knowledge: [] },
    ...boundItems(items),
    startedAtEpochMs: startOf(session).getTime(),
    endedReason: session.endedReason,
  };
}

const startOf = ({ startedAt, createdAt }: SessionRow): Date => startedAt ?? createdAt;

/** Puts an analysis back into the queue, at its old place. */
async function release(db: Db, run: HeldRun): Promise<void> {
  await db.update(agentSessionAnalyses).set({ status: "queued", leaseUntil: null }).where(heldBy(run));
}

/** Renews the leases; gives the ids of those that are somebody else's now, or gone. */
async function renew(db: Db, held: readonly HeldRun[], at: Date): Promise<string[]> {
  const lost: string[] = [];
  const leaseUntil = new Date(at.getTime() + RUN_LEASE_MS);
  for (const run of held) {
    const renewed = await db
      .update(agentSessionAnalyses)
      .set({ leaseUntil })
      .where(heldBy(run))
      .returning({ id: agentSessionAnalyses.sessionId });
    if (renewed.length === 0) lost.push(run.runId);
  }
  return lost;
}

/** Takes the next analysis: of the team with the fewest under way, the one that has waited longest; null for none. */
async function claim(db: Db, at: Date): Promise<AnalysisRow | null> {
  const table = agentSessionAnalyses;
  return await db.transaction(async (tx) => {
    const [next] = await tx
      .select({ id: table.sessionId })
      .from(table)
      .where(eq(table.status, "queued"))
      .orderBy(
        sql`(SELECT count(*) FROM agent_session_analyses AS other WHERE other.team_id = ${table.teamId} AND other.status = 'running')`,
        asc(table.queuedAt),
        asc(table.sessionId),
      )
      .limit(1)
      .for("update", { skipLocked: true });
    if (next === undefined) return null;
    const [row] = await tx
      .update(table)
      .set({ status: "running", attempt: sql`${table.attempt} + 1`, leaseUntil: new Date(at.getTime() + RUN_LEASE_MS) })
      .where(and(eq(table.sessionId, next.id), eq(table.status, "queued")))
      .returning();
    return row ?? null;
  });
}

/** Puts analyses back whose runtime says nothing any more; those over which too many were lost are over. */
async function requeueLost(queue: AnalysisQueue, at: Date): Promise<void> {
  const table = agentSessionAnalyses;
  const lost = await queue.db
    .select()
    .from(table)
    .where(and(eq(table.status, "running"), isOver(at)));
  for (const { sessionId: runId, attempt, lostAttempts } of lost) {
    if (lostAttempts + 1 >= MAX_LOST) {
      const error = `The runtime was lost ${MAX_LOST} times while it analyzed the session`;
      await settleAttempt(queue, { runId, attempt, result: { ...noFindings, status: "error", error } });
    } else {
      await queue.db
        .update(table)
        .set({ status: "queued", leaseUntil: null, lostAttempts: lostAttempts + 1 })
        .where(and(heldBy({ runId, attempt }), isOver(at)));
    }
  }
}

const isOver = (at: Date): SQL | undefined => {
  const { leaseUntil } = agentSessionAnalyses;
  return or(lt(leaseUntil, at), gt(leaseUntil, latestFrom(at, RUN_LEASE_MS)));
};
