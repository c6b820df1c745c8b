import { openTokenCounter } from "#common/text/token-count";
import { connectNats } from "#common/bus/nats";
import type { Bus } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { createOutbound } from "#common/outbound/outbound";
import { loadConfig } from "#common/config/config";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { newIdentifier } from "#common/identifier";
import type { TestRunSettings } from "#control-plane/agent-tests/settings";
import { runTest } from "#agents/agent-tests/run-test";
import { openTestRunner, type TestRunner, type TestRunnerOptions } from "#agents/agent-tests/test-runner";
import type { TestBatch, TestRunDetail } from "#protocol/agents/test-runs";
import { silentLog } from "../control-plane/databases.js";
import type { EngineName } from "../control-plane/databases.js";
import { type ServiceFixture, startFixture, testDoors } from "../control-plane/service.js";
import { addClient, type TeamClient } from "../agents/client.js";
import { until } from "../harness/processes.js";

/** A runtime of agents that runs tests and holds no conversations. */
export interface TestRuntime {
  runner: TestRunner;
  /** As a process that is stopped. */
  drain(): Promise<void>;
  /** As a process that is killed. */
  kill(): Promise<void>;
}

export interface TestPlatform {
  fixture: ServiceFixture;
  team: TeamClient;
  startRuntime(settings?: Record<string, string>, run?: TestRunnerOptions["run"]): Promise<TestRuntime>;
  stop(): Promise<void>;
}

/** A control plane on real NATS and a real database; runtimes run in this process, each on a connection of its own. */
export async function startTestPlatform(
  engine: EngineName,
  options: { allow?: string[]; testRuns?: TestRunSettings } = {},
): Promise<TestPlatform> {
  const fixture = await startFixture(engine, options);
  const countTokens = await openTokenCounter();
  const runtimes = new Set<TestRuntime>();
  const connect = (): Promise<Bus> => connectNats({ url: fixture.natsUrl, name: "agent", log: silentLog });
  return {
    fixture,
    team: await addClient(fixture),
    async startRuntime(settings = {}, run) {
      const bus = await connect();
      const config = loadConfig(settings);
      const clock = systemClock;
      const id = `agent-${newIdentifier().slice(0, 8)}`;
      const context = {
        ...{ bus, clock, config, countTokens, sealer: testDoors().sealer },
        outbound: createOutbound({ allow: options.allow ?? [], log: silentLog }),
        log: silentLog,
        epochMs: () => Date.now(),
      };
      const runner = openTestRunner({
        ...{ bus, clock, log: silentLog },
        places: config.AGENT_TEST_CONCURRENCY,
        run: run ?? ((job, signal) => runTest(context, job, signal)),
        metrics: { over: () => undefined },
      });
      const heartbeats = sendHeartbeats({
        ...{ bus, clock },
        describe: () => ({ type: "heartbeat", role: "agent", id, epoch: id, state: "ready", places: 0, sessions: [] }),
      });
      const runtime: TestRuntime = {
        runner,
        async drain() {
          await runner.drain();
          await runtime.kill();
        },
        async kill() {
          if (!runtimes.delete(runtime)) return;
          heartbeats.stop();
          runner.close();
          await bus.close();
        },
      };
      runtimes.add(runtime);
      return runtime;
    },
    async stop() {
      for (const runtime of [...runtimes]) await runtime.kill();
      await fixture.stop();
    },
  };
}

/** A new test's id. */
export async function createTest(team: TeamClient, body: Record<string, unknown>): Promise<string> {
  const { status, json, text } = await team.ask("POST", "/v1/agent/tests", { name: "a test", ...body });
  if (status !== 201) throw new Error(`no test: ${status} ${text}`);
  return String(json["test_id"]);
}

/** Starts runs, as soon as the service knows a runtime; gives the batch as it answers. */
export async function startRuns(team: TeamClient, agentId: string, body?: object): Promise<TestBatch> {
  let answer = { status: 503, text: "", json: {} as Record<string, unknown> };
  await until(
    async () => {
      answer = await team.ask("POST", `/v1/agent/agents/${agentId}/tests/run`, body);
      return answer.status !== 503;
    },
    { withinMs: 15_000, what: "a runtime that runs tests" },
  );
  if (answer.status !== 202) throw new Error(`no batch: ${answer.status} ${answer.text}`);
  return answer.json as unknown as TestBatch;
}

/** The batch once all of its runs are over. */
export async function completedBatch(team: TeamClient, batch: TestBatch, withinMs = 30_000): Promise<TestBatch> {
  const path = `/v1/agent/agents/${batch.agent_id}/test-batches/${batch.batch_id}`;
  let now = batch;
  await until(
    async () => {
      now = (await team.ask("GET", path)).json as unknown as TestBatch;
      return now.completed;
    },
    { withinMs, what: "a completed batch" },
  );
  return now;
}

/** Runs one test on an agent; gives the run with all that is known of it. */
export async function runOne(team: TeamClient, agentId: string, test: Record<string, unknown>): Promise<TestRunDetail> {
  const testId = await createTest(team, test);
  const batch = await completedBatch(team, await startRuns(team, agentId, { test_ids: [testId] }));
  const { json } = await team.ask("GET", `/v1/agent/test-runs/${batch.runs[0]?.run_id ?? ""}`);
  return json as unknown as TestRunDetail;
}
