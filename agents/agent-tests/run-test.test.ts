import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { testDefinition } from "#protocol/agents/tests";
import type { TestRunJob } from "#protocol/bus/test-runs";
import { type Answer, type ScriptedEndpoint, startScriptedEndpoint } from "../model/testing/scripted-endpoint.js";
import { planOf } from "../testing/plan.js";
import { runTest } from "./run-test.js";

const log = pino({ level: "silent" });
const caller = { message: "Hello?", ends_call: false };
const says = (words: string): Answer => [{ text: words }, { finish: "stop" }];

const definitions = {
  tool: { test_type: "tool", conversation: [{ text: "Hi" }], referenced_tool: { id: "t" } },
  simulation: { test_type: "simulation", simulation: { scenario: "Says hello.", max_turns: 5 } },
} as const;

describe("a run in trouble", () => {
  let endpoint: ScriptedEndpoint;
  afterEach(() => endpoint.close());

  /** Runs a test whose agent gets this answer from its model; a simulated caller says hello. */
  async function start(kind: keyof typeof definitions, agent: Answer) {
    let seen = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      seen = resolve;
    });
    endpoint = await startScriptedEndpoint(({ response_format: format }) => {
      if (format !== undefined) return says(JSON.stringify(caller));
      seen();
      return agent;
    });
    const clock = new VirtualClock();
    const definition = testDefinition.parse({ name: "t", ...definitions[kind] });
    const job: TestRunJob = { runId: "r", attempt: 1, definition, plan: planOf() };
    const controller = new AbortController();
    const result = runTest(
      {
        ...{ clock, log, countTokens: (text) => text.length, epochMs: () => 0 },
        bus: { request: () => Promise.reject(new Error("nobody is there")) },
        config: loadConfig({ LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "m" }),
        outbound: createOutbound({ allow: [], log }),
        sealer: createSealer(["k".repeat(32)]),
      },
      job,
      controller.signal,
    );
    return { clock, asked, result, stop: () => controller.abort() };
  }

  it.each(["tool", "simulation"] as const)("is an error where the agent's model fails: %s", async (kind) => {
    const { result } = await start(kind, { status: 400 });
    const isSimulation = kind === "simulation";
    expect(await result).toMatchObject({
      status: "error",
      error: expect.stringContaining("the endpoint answered with status 400"),
      ended_by: isSimulation ? "error" : null,
      usage: { cost_usd: null },
    });
    expect(endpoint.problems).toEqual([]);
  });

  it.each(["tool", "simulation"] as const)("is an error after ten minutes: %s", async (kind) => {
    const { clock, asked, result } = await start(kind, []);
    await asked;
    clock.advance(10 * 60_000 - 1);
    clock.advance(1);
    expect(await result).toMatchObject({
      ...{ status: "error", error: "It took longer than 10 minutes" },
      ended_by: kind === "simulation" ? "timeout" : null,
    });
    await expect.poll(() => endpoint.openConnections()).toBe(0);
  });

  it("has no result where it was given back", async () => {
    const { asked, result, stop } = await start("tool", []);
    await asked;
    stop();
    await expect(result).rejects.toThrow();
  });
});
