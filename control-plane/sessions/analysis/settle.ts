import { and, eq } from "drizzle-orm";
import type { AnalysisResult } from "#protocol/agents/analysis";
import type { HeldRun } from "#protocol/bus/leased-runs";
import { webhookWakeSubject } from "#protocol/webhooks";
import { storable } from "../../agent-tests/storable.js";
import type { Db } from "../../database/database.js";
import { type AnalysisOutcome, callAnalyzed } from "../../webhooks/events.js";
import { announce, factsOf } from "../announce.js";
import type { SessionContext } from "../context.js";
import { agentSessions, type SessionRow } from "../tables.js";
import { type AnalysisRow, agentSessionAnalyses } from "./tables.js";

/** What settling works with. */
export type SettleContext = Pick<SessionContext, "db" | "bus" | "log" | "sealer" | "now">;

/** The analysis that an attempt has; another attempt has it, or nobody, where none matches. */
export const heldBy = ({ runId, attempt }: HeldRun) =>
  and(
    eq(agentSessionAnalyses.sessionId, runId),
    eq(agentSessionAnalyses.attempt, attempt),
    eq(agentSessionAnalyses.status, "running"),
  );

/**
 * Stores what an attempt found out together with its `call.analyzed`, once: false where the attempt is not the one that
 * has the analysis.
 */
export async function settleAttempt(
  context: SettleContext,
  { runId, attempt, result }: HeldRun & { result: AnalysisResult },
): Promise<boolean> {
  const { db, bus, now } = context;
  const settled = await db.transaction(async (tx) => {
    const [row] = await tx.select().from(agentSessionAnalyses).where(heldBy({ runId, attempt })).for("update");
    if (row === undefined) return null;
    const [session] = await tx.select().from(agentSessions).where(eq(agentSessions.id, runId));
    if (session === undefined) return null;
    return await settleIn(tx, context, { session, row, result, now: now() });
  });
  if (settled === null) return false;
  if (settled.hasEvent) bus.publish(webhookWakeSubject, {});
  return true;
}

/**
 * Writes a result and its event in a transaction that has locked the analysis. The time of a result is always later
 * than that of the one before: receivers tell results of one session apart by it.
 */
export async function settleIn(
  tx: Db,
  context: Pick<SettleContext, "sealer" | "log">,
  settled: { session: SessionRow; row: AnalysisRow; result: AnalysisResult; now: Date },
): Promise<{ hasEvent: boolean }> {
  const { session, row, now } = settled;
  const result = storable(settled.result);
  const finishedAt = new Date(Math.max(now.getTime(), (row.finishedAt?.getTime() ?? 0) + 1));
  await tx
    .update(agentSessionAnalyses)
    .set({ status: result.status, result, finishedAt, leaseUntil: null })
    .where(eq(agentSessionAnalyses.sessionId, session.id));
  const payload = callAnalyzed(factsOf(session), outcomeOf(result, finishedAt));
  return { hasEvent: await announce(tx, context, session, payload, now) };
}

function outcomeOf(result: AnalysisResult, finishedAt: Date): AnalysisOutcome {
  const { status, summary, data, criteria_results: criteriaResults, error } = result;
  if (status === "completed") return { status, summary, data, criteriaResults, finishedAt };
  return status === "error" ? { status, error: error ?? "", finishedAt } : { status, finishedAt };
}
