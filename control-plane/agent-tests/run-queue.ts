import { and, asc, eq, gt, inArray, lt, or, sql } from "drizzle-orm";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import { type HeldRun, RUN_LEASE_MS, type TakeRun, type TakeRunReply } from "#protocol/bus/leased-runs";
import type { TestRunJob } from "#protocol/bus/test-runs";
import type { Db } from "../database/database.js";
import { latestFrom } from "../set-clock.js";
import { nextTeam, type TeamQueue } from "./queue-order.js";
import { agentTestBatches, agentTestBatchTests, agentTestRuns, type RunRow } from "./run-tables.js";
import { storable } from "./storable.js";

/** Runtimes that may be lost over one run: it may be the run that kills them. */
const MAX_ATTEMPTS = 5;

/** Larger jobs do not go over the bus; bytes of JSON. */
const MAX_JOB_BYTES = 4 * 1024 * 1024;

/** Any number that nobody else locks: takers take turns, so that together they never run more than they may. */
const TAKERS_LOCK = 7_281_001;

/** What the queue works with. */
export interface RunQueue {
  db: Db;
  /** Runs at once, over all runtimes. */
  concurrency: number;
  /** Since when runtimes can be heard: a lease that ended sooner may not have been renewed for want of anybody. */
  since: Date;
  /** Wall-clock time. */
  now: () => Date;
}

/**
 * Renews what a runtime holds, takes back what it releases, and gives it a run where it wants one and there is one. A
 * run whose lease is over goes to whoever asks next, under a later attempt; after the last one it is an `error`.
 */
export async function takeRun(queue: RunQueue, asked: TakeRun): Promise<TakeRunReply<TestRunJob>> {
  const { db, now } = queue;
  const at = now();
  for (const run of asked.released) await releaseRun(db, run);
  const lost = await renew(db, asked.held, at);
  for (;;) {
    const row = asked.wantsOne ? await claim(queue, at) : null;
    if (row === null) return { job: null, lost };
    const job = await jobOf(db, row);
    if (Buffer.byteLength(JSON.stringify(job)) <= MAX_JOB_BYTES) return { job, lost };
    await finishRun(queue, {
      ...job,
      result: errorResult("The test and its agent, with all made-up answers, are too large to be run"),
    });
  }
}

/** Stores what a run found out, once: false where the attempt is not the one that has the run, or it is gone. */
export async function finishRun(
  { db, now }: Pick<RunQueue, "db" | "now">,
  { runId, attempt, result }: HeldRun & { result: TestRunResult },
): Promise<boolean> {
  const stored = await db
    .update(agentTestRuns)
    .set({ status: result.status, result: storable(result), leaseUntil: null, finishedAt: now() })
    .where(heldBy({ runId, attempt }))
    .returning({ id: agentTestRuns.id });
  return stored.length === 1;
}

const heldBy = ({ runId, attempt }: HeldRun) =>
  and(eq(agentTestRuns.id, runId), eq(agentTestRuns.attempt, attempt), eq(agentTestRuns.status, "running"));

/** Puts a run back into the queue, at its old place. */
async function releaseRun(db: Db, run: HeldRun): Promise<void> {
  await db.update(agentTestRuns).set({ status: "queued", leaseUntil: null }).where(heldBy(run));
}

/** Renews the leases; gives the ids of those that are somebody else's now, or gone. */
async function renew(db: Db, held: readonly HeldRun[], at: Date): Promise<string[]> {
  if (held.length === 0) return [];
  const attempts = new Map(held.map(({ runId, attempt }) => [runId, attempt]));
  const leaseUntil = new Date(at.getTime() + RUN_LEASE_MS);
  const rows = await db
    .select({ id: agentTestRuns.id, attempt: agentTestRuns.attempt })
    .from(agentTestRuns)
    .where(and(inArray(agentTestRuns.id, [...attempts.keys()]), eq(agentTestRuns.status, "running")));
  const own = rows.filter(({ id, attempt }) => attempts.get(id) === attempt);
  for (const { id, attempt } of own)
    await db
      .update(agentTestRuns)
      .set({ leaseUntil })
      .where(heldBy({ runId: id, attempt }));
  const kept = new Set(own.map(({ id }) => id));
  return [...attempts.keys()].filter((id) => !kept.has(id));
}

/** Takes the next run; null where there is none, or enough are running. */
async function claim({ db, concurrency, since, now }: RunQueue, at: Date): Promise<RunRow | null> {
  return await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${TAKERS_LOCK})`);
    // A clock that was set back since then has been set back further than that.
    if (Math.abs(at.getTime() - since.getTime()) >= RUN_LEASE_MS) await requeueLost(tx, at, now);
    const teamId = nextTeam(await readQueues(tx), concurrency);
    if (teamId === null) return null;
    const [next] = await tx
      .select({ id: agentTestRuns.id, attempt: agentTestRuns.attempt })
      .from(agentTestRuns)
      .where(and(eq(agentTestRuns.teamId, teamId), eq(agentTestRuns.status, "queued")))
      .orderBy(asc(agentTestRuns.createdAt), asc(agentTestRuns.position))
      .limit(1);
    if (next === undefined) return null;
    const [row] = await tx
      .update(agentTestRuns)
      .set({
        status: "running",
        attempt: next.attempt + 1,
        leaseUntil: new Date(at.getTime() + RUN_LEASE_MS),
        startedAt: sql`COALESCE(${agentTestRuns.startedAt}, ${at.toISOString()}::timestamptz)`,
      })
      .where(and(eq(agentTestRuns.id, next.id), eq(agentTestRuns.status, "queued")))
      .returning();
    return row ?? null;
  });
}

/** Puts runs back whose runtime says nothing any more; those that have had all their attempts are over. */
async function requeueLost(tx: Db, at: Date, now: () => Date): Promise<void> {
  const { leaseUntil } = agentTestRuns;
  const lost = await tx
    .select({ runId: agentTestRuns.id, attempt: agentTestRuns.attempt })
    .from(agentTestRuns)
    .where(
      and(eq(agentTestRuns.status, "running"), or(lt(leaseUntil, at), gt(leaseUntil, latestFrom(at, RUN_LEASE_MS)))),
    );
  for (const run of lost) {
    if (run.attempt < MAX_ATTEMPTS) await releaseRun(tx, run);
    else
      await finishRun(
        { db: tx, now },
        { ...run, result: errorResult(`Its runtime was lost ${MAX_ATTEMPTS} times while it ran`) },
      );
  }
}

async function readQueues(tx: Db): Promise<TeamQueue[]> {
  const rows = await tx
    .select({
      teamId: agentTestRuns.teamId,
      running: sql<number>`(count(*) FILTER (WHERE ${agentTestRuns.status} = 'running'))::int`,
      oldestMs: sql<
        number | null
      >`(extract(epoch FROM min(${agentTestRuns.createdAt}) FILTER (WHERE ${agentTestRuns.status} = 'queued')) * 1000)::float8`,
    })
    .from(agentTestRuns)
    .where(inArray(agentTestRuns.status, ["queued", "running"]))
    .groupBy(agentTestRuns.teamId);
  return rows.map(({ teamId, running, oldestMs }) => ({
    teamId,
    running,
    oldestQueuedAt: oldestMs === null ? null : new Date(oldestMs),
  }));
}

async function jobOf(db: Db, row: RunRow): Promise<TestRunJob> {
  const [batch] = await db
    .select({ plan: agentTestBatches.plan, definition: agentTestBatchTests.definition })
    .from(agentTestBatches)
    .innerJoin(
      agentTestBatchTests,
      and(eq(agentTestBatchTests.batchId, agentTestBatches.id), eq(agentTestBatchTests.testId, row.testId)),
    )
    .where(eq(agentTestBatches.id, row.batchId));
  if (batch === undefined) throw new Error(`run ${row.id} has no batch`);
  const { plan, definition } = batch;
  return { runId: row.id, attempt: row.attempt, definition, plan: { ...plan, sessionId: row.id } };
}

function errorResult(error: string): TestRunResult {
  return { ...noResultYet, status: "error", error };
}
