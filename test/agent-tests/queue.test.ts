import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { attachables } from "#control-plane/agent-platform";
import { deleteOldBatches } from "#control-plane/agent-tests/retention";
import { finishRun, type RunQueue, takeRun } from "#control-plane/agent-tests/run-queue";
import { agentTestRuns } from "#control-plane/agent-tests/run-tables";
import { startBatch } from "#control-plane/agent-tests/start-batch";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import { type HeldRun, RUN_LEASE_MS } from "#protocol/bus/leased-runs";
import type { TestRunJob } from "#protocol/bus/test-runs";
import { engines } from "../control-plane/databases.js";
import { type ServiceFixture, startFixture } from "../control-plane/service.js";
import { addClient, createAgent, type TeamClient } from "../agents/client.js";
import { createTest } from "./platform.js";

const passed: TestRunResult = { ...noResultYet, status: "passed" };
const quiet = { held: [], released: [] };

describe.each(engines)("the queue of test runs on %s", (engine) => {
  let fixture: ServiceFixture;
  const start = new Date("2026-11-23T10:00:00Z");
  let now = start;
  let queue: RunQueue;

  beforeAll(async () => {
    fixture = await startFixture(engine);
    queue = { db: fixture.db, concurrency: 2, since: new Date(0), now: () => now };
  });
  afterAll(() => fixture.stop());

  const pass = (ms: number): void => {
    now = new Date(now.getTime() + ms);
  };
  async function queued(count: number, owner?: TeamClient): Promise<{ team: TeamClient; batchId: string }> {
    const team = owner ?? (await addClient(fixture));
    const agentId = await createAgent(team);
    const test = { test_type: "tool", conversation: [{ text: "Hi" }], referenced_tool: { id: "t" } };
    const testId = await createTest(team, test);
    const { teamId } = team.principal;
    const body = { test_ids: [testId], repeat_count: count };
    return { team, batchId: await startBatch(fixture.db, attachables, { teamId, agentId, body, now }) };
  }
  async function take(): Promise<TestRunJob | null> {
    return (await takeRun(queue, { ...quiet, wantsOne: true })).job;
  }
  async function taken(): Promise<TestRunJob> {
    const job = await take();
    if (job === null) throw new Error("nothing to run");
    return job;
  }
  const finish = ({ runId, attempt }: HeldRun): Promise<boolean> =>
    finishRun(queue, { runId, attempt, result: passed });
  async function drainAll(): Promise<void> {
    for (let job = await take(); job !== null; job = await take()) await finish(job);
  }

  it("gives no more runs than may run at once, each once, in order", async () => {
    await queued(3);
    const [first, second] = [await taken(), await taken()];
    expect(await take()).toBeNull();
    expect(await finish(first)).toBe(true);
    const third = await taken();
    expect(new Set([first.runId, second.runId, third.runId]).size).toBe(3);
    expect([await finish(second), await finish(third), await take()]).toEqual([true, true, null]);
  });

  it("of many that take at the same time, gives each run to one", async () => {
    await queued(4);
    const jobs = await Promise.all(Array.from({ length: 8 }, take));
    const given = jobs.flatMap((job) => (job === null ? [] : [job.runId]));
    expect([given.length, new Set(given).size]).toEqual([2, 2]);
    for (const job of jobs) if (job !== null) await finish(job);
    await drainAll();
  });

  it("leaves none of many that take at the same time without a run that there is", async () => {
    const wide = { ...queue, concurrency: 8 };
    await queued(8);
    const given = await Promise.all(Array.from({ length: 8 }, () => takeRun(wide, { ...quiet, wantsOne: true })));
    expect(new Set(given.map(({ job }) => job?.runId)).size).toBe(8);
    for (const { job } of given) if (job !== null) await finish(job);
  });

  it("stores one result of a run, that of the attempt that has it", async () => {
    await queued(1);
    const lost = await taken();
    pass(RUN_LEASE_MS - 1);
    expect(await take()).toBeNull();
    pass(2);
    const again = await taken();
    expect(again).toMatchObject({ runId: lost.runId, attempt: 2 });
    expect(await finish(lost)).toBe(false);
    expect([await finish(again), await finish(again)]).toEqual([true, false]);
  });

  it("keeps a run where its lease is renewed, and says which are lost", async () => {
    await queued(1);
    const job = await taken();
    pass(RUN_LEASE_MS - 1);
    expect((await takeRun(queue, { ...quiet, held: [job], wantsOne: false })).lost).toEqual([]);
    pass(RUN_LEASE_MS - 1);
    expect(await take()).toBeNull();
    pass(2);
    const other = await taken();
    const gone = { runId: newIdentifier(), attempt: 1 };
    expect((await takeRun(queue, { ...quiet, held: [job, gone], wantsOne: false })).lost).toEqual([
      job.runId,
      gone.runId,
    ]);
    await finish(other);
  });

  it("takes nothing away before runtimes had time to renew", async () => {
    await queued(1);
    const job = await taken();
    pass(60_000);
    const restarted = { ...queue, since: new Date(now.getTime() - RUN_LEASE_MS + 1) };
    expect((await takeRun(restarted, { ...quiet, wantsOne: true })).job).toBeNull();
    expect(await finish(job)).toBe(true);
  });

  it("takes back what is released, and gives it out again at once", async () => {
    await queued(1);
    const job = await taken();
    const { job: again } = await takeRun(queue, { held: [], released: [job], wantsOne: true });
    expect(again).toMatchObject({ runId: job.runId, attempt: 2 });
    await finish({ runId: job.runId, attempt: 2 });
  });

  it("gives a run up over which five runtimes were lost", async () => {
    await queued(1);
    let job = await taken();
    for (let attempt = 2; attempt <= 5; attempt++) {
      pass(RUN_LEASE_MS + 1);
      job = await taken();
      expect(job.attempt).toBe(attempt);
    }
    pass(RUN_LEASE_MS + 1);
    expect(await take()).toBeNull();
    const [row] = await fixture.db.select().from(agentTestRuns).where(eq(agentTestRuns.id, job.runId));
    expect(row).toMatchObject({ status: "error", result: { error: "Its runtime was lost 5 times while it ran" } });
  });

  it("lets a second team in beside one with many runs", async () => {
    const { team } = await queued(6);
    const first = await taken();
    pass(1000);
    const { team: other } = await queued(1);
    const second = await taken();
    expect([first, second].map(({ plan }) => plan.teamId)).toEqual([team.principal.teamId, other.principal.teamId]);
    for (const job of [first, second]) await finish(job);
    await drainAll();
  });

  it("forgets batches that are old, and none that is under way", async () => {
    const { team, batchId } = await queued(2);
    const [first, second] = [await taken(), await taken()];
    const path = `/v1/agent/agents/${first.plan.agentId}/test-batches/${batchId}`;
    await finish(first);
    const later = new Date(now.getTime() + 1);
    await deleteOldBatches(fixture.db, later);
    expect((await team.ask("GET", path)).status).toBe(200);
    await finish(second);
    await deleteOldBatches(fixture.db, now);
    expect((await team.ask("GET", path)).status).toBe(200);
    await deleteOldBatches(fixture.db, later);
    expect((await team.ask("GET", path)).status).toBe(404);
    expect((await team.ask("GET", `/v1/agent/test-runs/${second.runId}`)).status).toBe(404);
  });

  it("runs the agent and the test as they were, and forgets them with their agent", async () => {
    const { team } = await queued(1);
    const job = await taken();
    expect(job.definition).toMatchObject({ test_type: "tool" });
    await team.ask("DELETE", `/v1/agent/agents/${job.plan.agentId}`);
    expect((await takeRun(queue, { ...quiet, held: [job], wantsOne: false })).lost).toEqual([job.runId]);
    expect(await finish(job)).toBe(false);
  });
});
