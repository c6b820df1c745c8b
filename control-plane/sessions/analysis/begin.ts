import { eq, sql } from "drizzle-orm";
import { noFindings, type SessionAnalysis } from "#protocol/agents/analysis";
import type { AgentConfig } from "#protocol/agents/config";
import { analysesQueuedSubject } from "#protocol/bus/analyses";
import { ServiceError } from "#protocol/errors";
import { webhookWakeSubject } from "#protocol/webhooks";
import type { Db } from "../../database/database.js";
import { isOver } from "../entity.js";
import { toSessionAnalysis } from "./entity.js";
import type { SessionRow } from "../tables.js";
import { type SettleContext, settleIn } from "./settle.js";
import { type AnalysisRow, agentSessionAnalyses } from "./tables.js";

/** What a transaction leads to once it is committed: `wakeFor` says so. */
export interface BegunAnalysis {
  /** There is an analysis to take. */
  isQueued: boolean;
  /** There is an event to send. */
  hasEvent: boolean;
}

/** Whether a configuration wants anything of an analysis. */
function isWanted({ summary, data_fields: fields, criteria }: AgentConfig["analysis"]): boolean {
  return summary.enabled || fields.length > 0 || criteria.length > 0;
}

/**
 * Queues the analysis of a session that is over, or settles it at once where its version wants none. One that is queued
 * or under way stays as it is.
 */
export async function beginAnalysis(
  tx: Db,
  context: Pick<SettleContext, "sealer" | "log">,
  session: SessionRow,
  now: Date,
): Promise<BegunAnalysis> {
  const fresh = { status: "queued", lostAttempts: 0, leaseUntil: null, result: null, queuedAt: now } as const;
  const [row] = await tx
    .insert(agentSessionAnalyses)
    .values({ sessionId: session.id, teamId: session.teamId, attempt: 0, finishedAt: null, ...fresh })
    .onConflictDoUpdate({
      target: agentSessionAnalyses.sessionId,
      set: fresh,
      setWhere: sql`${agentSessionAnalyses.result} IS NOT NULL`,
    })
    .returning();
  if (row === undefined) return { isQueued: false, hasEvent: false };
  if (isWanted(session.plan.config.analysis)) return { isQueued: true, hasEvent: false };
  const result = { ...noFindings, status: "skipped", skip_reason: "analysis_disabled" } as const;
  return { isQueued: false, ...(await settleIn(tx, context, { session, row, result, now })) };
}

/** Tells those who wait for what a committed transaction began. */
export function wakeFor(bus: Pick<SettleContext["bus"], "publish">, { isQueued, hasEvent }: BegunAnalysis): void {
  if (hasEvent) bus.publish(webhookWakeSubject, {});
  if (isQueued) bus.publish(analysesQueuedSubject, {});
}

/**
 * Has a session analyzed (again); gives the analysis as it is then. Throws `conflict` for a session that nothing can be
 * said of.
 */
export async function analyzeAgain(context: SettleContext, session: SessionRow): Promise<SessionAnalysis> {
  if (!isOver(session)) throw new ServiceError("conflict", { parameters: { detail: "The session is not over" } });
  if (session.startedAt === null)
    throw new ServiceError("conflict", { parameters: { detail: "Nobody joined the session" } });
  const { db, bus, now } = context;
  wakeFor(bus, await db.transaction((tx) => beginAnalysis(tx, context, session, now())));
  const row = await findAnalysis(db, session.id);
  if (row === null) throw new ServiceError("not_found");
  return toSessionAnalysis(row);
}

/** The analysis of a session; null where there is none. */
export async function findAnalysis(db: Db, sessionId: string): Promise<AnalysisRow | null> {
  const [row] = await db.select().from(agentSessionAnalyses).where(eq(agentSessionAnalyses.sessionId, sessionId));
  return row ?? null;
}
