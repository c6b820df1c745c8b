import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import type { TestBatch } from "#protocol/agents/test-runs";
import { liveKitElsewhere, startCluster, type TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { howMany, isThorough } from "../harness/thorough.js";
import { call } from "../conversations/open-talk.js";
import { scriptedAnswer } from "./script.js";

/**
 * A few runs, with a kill after so many results; the whole proof, with a kill every 20 s, is
 * `TEST_THOROUGH=1 npx vitest run test/agent-tests/kill.test.ts`.
 */
const RUNS = howMany(80, 1000);
const isWhole = isThorough;
/** How often each test runs; there are as many tests as that takes, a quarter of each kind. */
const REPEATS = isWhole ? 10 : 20;
const KILL_INTERVAL_MS = 20_000;
/** Who is killed after how many results, where no time decides. */
const victimsByResults: readonly [number, string][] = [
  [8, "agent-1"],
  [12, "control-plane"],
  [30, "agent-2"],
  [50, "nats"],
];
const ASK_AGAIN_MS = isWhole ? 20_000 : 1000;
const THINKING_MS = isWhole ? 300 : 150;
const WITHIN_MS = isWhole ? 900_000 : 60_000;

describe(`${RUNS} test runs whose processes are killed`, () => {
  let endpoint: ScriptedEndpoint;
  let cluster: TestCluster;

  beforeAll(async () => {
    endpoint = await startScriptedEndpoint((request) => {
      const answer = scriptedAnswer(request);
      return "status" in answer ? answer : [{ waitMs: THINKING_MS }, ...answer];
    });
    cluster = await startCluster({
      agents: 2,
      settings: {
        ...liveKitElsewhere,
        LLM_BASE_URL: endpoint.baseUrl,
        LLM_MODEL: "scripted",
        AGENT_TEST_CONCURRENCY: "8",
      },
    });
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    await endpoint?.close();
  });

  it(
    "have exactly one result each, and counts that add up",
    async () => {
      const agent = await call<{ agent_id: string }>(cluster, "POST", "/v1/agent/agents", { name: "Ann" });
      const path = `/v1/agent/agents/${agent.agent_id}`;
      const kinds = ["When do you open?", "Are you on strike?", "When do you close?", "unreadable"];
      for (const text of kinds.flatMap((kind) => Array<string>(RUNS / 4 / REPEATS).fill(kind))) {
        await call(cluster, "POST", "/v1/agent/tests", {
          ...{ name: text, test_type: "next_reply", conversation: [{ text }], agent_ids: [agent.agent_id] },
          expectation: text === "unreadable" ? text : "It says when.",
        });
      }
      const { batch_id: batchId } = await untilStarted(() =>
        call<TestBatch>(cluster, "POST", `${path}/tests/run`, { repeat_count: REPEATS }),
      );
      let kills = 0;
      const killer = setInterval(() => {
        if (isWhole && cluster.kill(`agent-${1 + (kills % 2)}`)) kills++;
      }, KILL_INTERVAL_MS);
      let batch: TestBatch | null = null as TestBatch | null;
      const finished = new Map<string, string>();
      try {
        await until(
          async () => {
            // A batch of a thousand runs is large: who reads it all the time slows down what is measured.
            if (isWhole) await new Promise((resolve) => setTimeout(resolve, 2000));
            // One that was asked of a process that was killed is answered after its time only.
            const signal = AbortSignal.timeout(ASK_AGAIN_MS);
            const asked = call<TestBatch>(cluster, "GET", `${path}/test-batches/${batchId}`, undefined, signal);
            batch = await asked.catch(() => null);
            // A result that is there never changes.
            for (const { run_id: id, finished_at: at } of batch?.runs ?? []) {
              if (at === null) continue;
              expect(finished.get(id) ?? at).toBe(at);
              finished.set(id, at);
            }
            const next = isWhole ? undefined : victimsByResults[kills];
            if (next !== undefined && finished.size >= next[0] && cluster.kill(next[1])) kills++;
            return batch?.completed === true;
          },
          { withinMs: WITHIN_MS, what: "all runs to be over" },
        );
      } finally {
        clearInterval(killer);
      }
      expect(kills).toBeGreaterThanOrEqual(isWhole ? 4 : victimsByResults.length);
      const { runs, passed, failed, errors, pass_rate: rate } = batch as TestBatch;
      expect(finished.size).toBe(RUNS);
      expect([runs.length, passed, failed, errors]).toEqual([RUNS, RUNS / 4, RUNS / 2, RUNS / 4]);
      expect(rate).toBeCloseTo(1 / 3);
      for (const { status, error } of runs)
        expect(error).toMatch(status === "error" ? /could not be used, twice/ : /^$/);
      expect(endpoint.problems.filter((problem) => !problem.includes("aborted"))).toEqual([]);
      console.info(`${RUNS} runs, ${kills} kills, ${endpoint.requests.length} requests for ${RUNS * 2.25} needed`);
    },
    WITHIN_MS + 60_000,
  );
});

async function untilStarted<T>(start: () => Promise<T>): Promise<T> {
  let started: T | null = null;
  await until(
    async () => {
      started = await start().catch(() => null);
      return started !== null;
    },
    { withinMs: 20_000, what: "a runtime that runs tests" },
  );
  return started as T;
}
