import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { beginAnalysis, findAnalysis } from "#control-plane/sessions/analysis/begin";
import { type AnalysisQueue, takeAnalysis } from "#control-plane/sessions/analysis/queue";
import { settleAttempt } from "#control-plane/sessions/analysis/settle";
import type { AnalysisRow } from "#control-plane/sessions/analysis/tables";
import { agentSessionItems, agentSessions } from "#control-plane/sessions/tables";
import { webhookEvents } from "#control-plane/webhooks/tables";
import { type AnalysisResult, noFindings } from "#protocol/agents/analysis";
import type { AnalysisJob } from "#protocol/bus/analyses";
import { type HeldRun, RUN_INTERVAL_MS, RUN_LEASE_MS } from "#protocol/bus/leased-runs";
import type { CallAnalyzedPayload } from "#protocol/webhooks";
import { engines, freshDatabase, silentLog } from "../control-plane/databases.js";
import { testDoors } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { insertOverSession } from "./rows.js";

const completed: AnalysisResult = { ...noFindings, status: "completed", summary: "They talked." };
const quiet = { held: [], released: [] };

describe.each(engines)("the queue of analyses on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let queue: AnalysisQueue;
  let team: string;
  let other: string;
  let now = new Date("2026-11-23T10:00:00Z");
  let logIsAway = false;

  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    const { db } = fixture.database;
    const log = { read: () => (logIsAway ? Promise.reject(new Error("away")) : Promise.resolve([])) };
    const bus = { publish: () => undefined, subjectLog: () => log as never };
    queue = { db, bus, log: silentLog, sealer: testDoors().sealer, since: new Date(0), now: () => now };
    [team, other] = [(await addTeam(db)).teamId, (await addTeam(db)).teamId];
  });
  afterAll(() => fixture.stop());

  const pass = (ms: number): void => {
    now = new Date(now.getTime() + ms);
  };
  /** A session that is over, with its analysis queued. */
  async function queued(teamId = team, words = "Hello?"): Promise<string> {
    const { db } = queue;
    const webhook = { url: "https://93.184.216.34/", secret: null };
    const plan = { config: { webhooks: { post_call: [webhook], conversation_init: null } } };
    const sessionId = await insertOverSession(db, teamId, { plan, purgeAt: now });
    await db
      .insert(agentSessionItems)
      .values({
        ...{ sessionId, key: "record:1", sequence: 1, type: "message", turnId: 1, createdAt: now },
        content: { role: "user", content: words },
      });
    await again(sessionId);
    return sessionId;
  }
  async function again(sessionId: string): Promise<void> {
    const [session] = await queue.db.select().from(agentSessions).where(eq(agentSessions.id, sessionId));
    if (session === undefined) throw new Error("no session");
    await queue.db.transaction((tx) => beginAnalysis(tx, queue, session, now));
  }
  async function take(): Promise<AnalysisJob | null> {
    return (await takeAnalysis(queue, { ...quiet, wantsOne: true })).job;
  }
  async function taken(): Promise<AnalysisJob> {
    const job = await take();
    if (job === null) throw new Error("nothing to analyze");
    return job;
  }
  const finish = ({ runId, attempt }: HeldRun, result = completed): Promise<boolean> =>
    settleAttempt(queue, { runId, attempt, result });
  const read = async (sessionId: string): Promise<AnalysisRow | null> => await findAnalysis(queue.db, sessionId);
  async function events(sessionId: string): Promise<CallAnalyzedPayload["analysis"][]> {
    const rows = await queue.db.select().from(webhookEvents).where(eq(webhookEvents.sessionId, sessionId));
    return rows
      .sort((a, b) => a.position - b.position)
      .map(({ body }) => (JSON.parse(body) as CallAnalyzedPayload).analysis);
  }

  it("gives each analysis to one of many that take at the same time", async () => {
    const sessions = [await queued(), await queued(), await queued()];
    const jobs = (await Promise.all(Array.from({ length: 6 }, take))).filter((job) => job !== null);
    expect(jobs.map(({ runId }) => runId).sort()).toEqual(sessions.sort());
    expect(jobs[0]).toMatchObject({ attempt: 1, omittedItems: 0, plan: { tools: [], knowledge: [] } });
    for (const job of jobs) await finish(job);
    expect(await take()).toBeNull();
  });

  it("stores one result, that of the attempt that has it, and one event with it", async () => {
    const sessionId = await queued();
    const lost = await taken();
    pass(RUN_LEASE_MS - 1);
    expect(await take()).toBeNull();
    pass(2);
    const found = await taken();
    expect(found).toMatchObject({ runId: sessionId, attempt: 2 });
    expect([await finish(lost), (await events(sessionId)).length]).toEqual([false, 0]);
    expect([await finish(found), await finish(found), await finish(lost)]).toEqual([true, false, false]);
    expect(await events(sessionId)).toMatchObject([{ status: "completed", finished_at: now.toISOString() }]);
  });

  it("keeps one where its lease is renewed, says which are lost, and takes back what is released", async () => {
    await queued();
    const job = await taken();
    pass(RUN_LEASE_MS - 1);
    expect((await takeAnalysis(queue, { ...quiet, held: [job], wantsOne: false })).lost).toEqual([]);
    pass(RUN_LEASE_MS - 1);
    expect(await take()).toBeNull();
    const { job: again } = await takeAnalysis(queue, { held: [], released: [job], wantsOne: true });
    expect(again).toMatchObject({ runId: job.runId, attempt: 2 });
    const gone = { runId: newIdentifier(), attempt: 1 };
    const { lost } = await takeAnalysis(queue, { ...quiet, held: [job, gone], wantsOne: false });
    expect(lost).toEqual([job.runId, gone.runId]);
    await finish({ runId: job.runId, attempt: 2 });
  });

  it("takes nothing away before runtimes had time to renew", async () => {
    await queued();
    const job = await taken();
    pass(60_000);
    const restarted = { ...queue, since: new Date(now.getTime() - RUN_INTERVAL_MS) };
    expect((await takeAnalysis(restarted, { ...quiet, wantsOne: true })).job).toBeNull();
    expect(await finish(job)).toBe(true);
  });

  it("takes one over in time although the clock is set back by an hour", async () => {
    const sessionId = await queued();
    const lost = await taken();
    pass(-3_600_000);
    expect(await take()).toMatchObject({ runId: sessionId, attempt: 2 });
    expect(await take()).toBeNull();
    expect(await finish(lost)).toBe(false);
    expect(await finish({ runId: sessionId, attempt: 2 })).toBe(true);
    pass(3_600_000);
  });

  it("gives one up over which five runtimes were lost, and begins anew where it is asked for again", async () => {
    const sessionId = await queued();
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await taken()).attempt).toBe(attempt);
      pass(RUN_LEASE_MS + 1);
    }
    expect(await take()).toBeNull();
    expect(await events(sessionId)).toMatchObject([{ status: "error", error: expect.stringContaining("5 times") }]);
    await again(sessionId);
    const job = await taken();
    // No attempt of the first analysis can be taken for one of the second.
    expect(job.attempt).toBe(6);
    pass(RUN_LEASE_MS + 1);
    expect((await taken()).attempt).toBe(7);
    expect([await finish(job), await finish({ runId: sessionId, attempt: 7 })]).toEqual([false, true]);
  });

  it("gives every result of a session a later time, though the clock stands still", async () => {
    const sessionId = await queued();
    for (let time = 0; time < 3; time++) {
      await finish(await taken());
      await again(sessionId);
    }
    const times = (await events(sessionId)).map((analysis) => Date.parse(analysis.finished_at) - now.getTime());
    expect(times).toEqual([0, 1, 2]);
    await finish(await taken());
  });

  it("settles on the way what needs no model", async () => {
    const silent = await queued(team, " ");
    pass(1);
    const spoken = await queued();
    expect(await taken()).toMatchObject({ runId: spoken });
    expect(await read(silent)).toMatchObject({ status: "skipped", result: { skip_reason: "caller_never_spoke" } });
    expect(await events(silent)).toMatchObject([{ status: "skipped", summary: null, data: [], error: null }]);
    await finish({ runId: spoken, attempt: 1 });
  });

  it("keeps one whose log cannot be read, and gives it when that is back", async () => {
    const sessionId = await queued();
    logIsAway = true;
    await expect(take()).rejects.toThrow("away");
    logIsAway = false;
    expect(await read(sessionId)).toMatchObject({ status: "queued", lostAttempts: 0 });
    await finish(await taken());
  });

  it("lets a second team in beside one with many calls, and goes by age within a team", async () => {
    const first = await queued();
    pass(1);
    const second = await queued();
    pass(1);
    const others = await queued(other);
    const jobs = [await taken(), await taken(), await taken()];
    expect(jobs.map(({ runId }) => runId)).toEqual([first, others, second]);
    for (const job of jobs) await finish(job);
  });

  it("stores what a model writes, whatever it is", async () => {
    const sessionId = await queued();
    await finish(await taken(), { ...completed, summary: "a\u0000b\ud800" });
    expect((await read(sessionId))?.result?.summary).toBe("a\ufffdb\ufffd");
    expect(await events(sessionId)).toMatchObject([{ summary: "a\ufffdb\ufffd" }]);
  });
});
