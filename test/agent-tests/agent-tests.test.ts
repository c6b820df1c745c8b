import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { createAgent } from "../agents/client.js";
import { completedBatch, createTest, runOne, startRuns, startTestPlatform, type TestPlatform } from "./platform.js";
import { scriptedAnswer } from "./script.js";

const opening = [
  { role: "agent", text: "Hello." },
  { role: "user", text: "When do you open?" },
];
const reply = { test_type: "next_reply", conversation: opening, expectation: "It says when." };

describe("runs of agents' tests", () => {
  let platform: TestPlatform;
  let endpoint: ScriptedEndpoint;
  let weather: ReturnType<typeof createServer>;
  let agentId: string;
  let weatherTool: { id: string; name: string };
  const asked: string[] = [];

  beforeAll(async () => {
    weather = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("content-type", "text/plain").end("really sunny");
    }).listen(0, "127.0.0.1");
    await once(weather, "listening");
    const host = `127.0.0.1:${(weather.address() as AddressInfo).port}`;
    endpoint = await startScriptedEndpoint(scriptedAnswer);
    platform = await startTestPlatform("pglite", { allow: [host] });
    await platform.startRuntime({
      LLM_BASE_URL: endpoint.baseUrl,
      LLM_MODEL: "scripted",
      AGENT_TEST_LLM_MODEL: "judge/1",
      LLM_PRICES: "scripted=2.5/10,judge/1=1/0.000001",
    });
    const { team } = platform;
    const { json } = await team.ask("POST", "/v1/agent/tools", {
      name: "get_weather",
      method: "GET",
      url: `http://${host}/report?city={{city}}`,
      arguments: [{ name: "city", description: "Name of the city" }],
      execution_mode: "background",
    });
    weatherTool = { id: String(json["tool_id"]), name: "get_weather" };
    agentId = await createAgent(team, {
      name: "Ann",
      config: {
        prompt: { system_prompt: "You answer.", first_message_mode: "fixed", first_message: "Hello, I am Ann." },
        tools: { tool_ids: [weatherTool.id], system_tools: { hang_up_call: true } },
      },
    });
  });
  afterAll(async () => {
    await platform.stop();
    await endpoint.close();
    await new Promise((resolve) => weather.close(resolve));
  });

  it("judge a reply by the language model, on the draft, and say what it cost", async () => {
    const { team } = platform;
    const run = await runOne(team, agentId, reply);
    const config = (await team.ask("GET", `/v1/agent/agents/${agentId}/config`)).json;
    expect(run).toMatchObject({
      status: "passed",
      needs_review: false,
      agent_reply: "We open at nine.",
      judge_reasoning: "It says success.",
      config_hash: config["config_hash"],
      conversation: opening,
      turns_used: 1,
      // 1,000 tokens in and 100 out for each of two requests: 0.0025 + 0.001 and 0.001 + 10^-10 dollars.
      usage: { agent_replies: 1, cost_usd: "0.0045000001" },
    });
    expect(run.judge_prompt).toContain("It says when.");
    const judged = endpoint.requests.filter(({ body }) => body.response_format !== undefined);
    expect(judged.map(({ body }) => [body.model, body.temperature])).toEqual([["judge/1", 0]]);
    // The script says all that was said: the agent does not greet.
    const agents = endpoint.requests.find(({ body }) => body.model === "scripted")?.body.messages ?? [];
    expect(agents.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ["user", "[[The call begins.]]"],
      ["assistant", "Hello."],
      ["user", "When do you open?"],
    ]);
    expect(endpoint.problems).toEqual([]);
  });

  it.each([
    ["Are you on strike?", "You said: Are you on strike?", "failed", false],
    ["When do you close?", "Well, perhaps at five.", "failed", true],
  ])("judge against the expectation: %s", async (text, said, status, needsReview) => {
    const run = await runOne(platform.team, agentId, { ...reply, conversation: [{ text }] });
    expect(run).toMatchObject({ status, needs_review: needsReview, agent_reply: said });
  });

  it("are errors where the judge cannot be understood, after one more question, or the script has no question", async () => {
    const before = endpoint.requests.length;
    const unreadable = await runOne(platform.team, agentId, { ...reply, expectation: "unreadable" });
    expect(unreadable).toMatchObject({ status: "error", error: expect.stringContaining("could not be used") });
    expect(endpoint.requests.slice(before).filter(({ body }) => body.response_format !== undefined)).toHaveLength(2);
    const agentLast = { ...reply, conversation: [{ role: "agent", text: "Hello." }] };
    expect(await runOne(platform.team, agentId, agentLast)).toMatchObject({
      status: "error",
      error: "The test's conversation must end with the user",
    });
    expect(endpoint.problems).toEqual([]);
  });

  const weatherQuestion = { test_type: "tool", conversation: [{ text: "How is the weather in Rome?" }] };

  it.each([
    [{}, "passed"],
    [{ tool_parameters: [{ name: "city", value: "Rome" }] }, "passed"],
    [{ tool_parameters: [{ name: "city", value: "Paris" }] }, "failed"],
    [{ verify_absence: true }, "failed"],
    [{ conversation: [{ text: "When do you open?" }] }, "failed"],
    [{ conversation: [{ text: "When do you open?" }], verify_absence: true }, "passed"],
  ])("decide about an expected tool without a judge and without calling it: %j", async (change, status) => {
    const before = endpoint.requests.length;
    const run = await runOne(platform.team, agentId, { ...weatherQuestion, referenced_tool: weatherTool, ...change });
    expect(run).toMatchObject({ status, error: "", judge_prompt: "" });
    expect(endpoint.requests.slice(before).every(({ body }) => body.response_format === undefined)).toBe(true);
    expect(asked).toEqual([]);
  });

  it("know the platform's own tool", async () => {
    const hangUp = { id: "hang_up_call", type: "system" };
    const run = await runOne(platform.team, agentId, {
      test_type: "tool",
      conversation: [{ text: "Bye then." }],
      referenced_tool: hangUp,
    });
    expect(run).toMatchObject({ status: "passed" });
  });

  const simulation = {
    scenario: "Wants to know the weather.",
    success_conditions: [{ name: "Weather", description: "The agent says sunny" }],
    tool_mocks: { strategy: "all", tools: [{ tool: { id: "?", name: "get_weather" }, result: "sunny" }] },
  };
  const simulate = (change: Record<string, unknown> = {}) =>
    runOne(platform.team, agentId, { test_type: "simulation", simulation: { ...simulation, ...change } });

  it("simulate a caller, with prepared answers and what is asserted", async () => {
    const run = await simulate({
      assertions: {
        tool_calls: [{ tool: weatherTool, params: [{ name: "city", value: "Rome" }], max_calls: 1 }],
        forbidden_tools: [{ id: "hang_up_call", type: "system" }],
        ended_by: "user",
      },
    });
    expect(run).toMatchObject({
      status: "passed",
      ended_by: "user",
      turns_used: 2,
      mock_gaps: [],
      channel: "web_voice",
      usage: { agent_replies: 3 },
    });
    const { simulation_result: result } = run;
    expect(result?.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "agent: Hello, I am Ann.",
      "user: What is the weather in Rome?",
      "agent: You said: sunny",
      "user: Thank you, that is all.",
      "agent: You said: Thank you, that is all.",
    ]);
    expect(result?.tool_calls).toMatchObject([
      {
        tool_name: "get_weather",
        tool_source: "webhook",
        status: "completed",
        input: { city: "Rome" },
        output: "sunny",
        mocked: true,
        mock_source: "test",
      },
    ]);
    expect(result?.assertions.map(({ kind, passed }) => [kind, passed])).toEqual([
      ["tool_call", true],
      ["forbidden_tool", true],
      ["ended_by", true],
    ]);
    expect(result?.conditions).toEqual([{ name: "Weather", result: "success", rationale: "about sunny" }]);
    expect(asked).toEqual([]);
    expect(endpoint.problems).toEqual([]);
  });

  it("fail, to be looked at, where no answer was prepared or a condition cannot be decided", async () => {
    const gap = await simulate({ tool_mocks: {}, success_conditions: [] });
    expect(gap).toMatchObject({
      status: "failed",
      needs_review: true,
      mock_gaps: [{ tool_name: "get_weather", tool_id: weatherTool.id, source: "missing", calls: 1 }],
    });
    expect(gap.simulation_result?.tool_calls).toMatchObject([{ mocked: false, mock_source: "missing" }]);
    const unknown = await simulate({ success_conditions: [{ name: "Something" }] });
    expect(unknown).toMatchObject({ status: "failed", needs_review: true });
    const failure = await simulate({ success_conditions: [{ name: "x", description: "The agent says rainy" }] });
    expect(failure).toMatchObject({ status: "failed", needs_review: false });
  });

  it("call tools really where the test says so", async () => {
    const run = await simulate({ tool_mocks: { strategy: "none" } });
    expect(run).toMatchObject({ status: "passed", mock_gaps: [] });
    expect(run.simulation_result?.tool_calls).toMatchObject([
      { output: "really sunny", mocked: false, mock_source: "real" },
    ]);
    expect(asked.splice(0)).toEqual(["/report?city=Rome"]);
  });

  it("end by the agent or after the last turn", async () => {
    const base = { success_conditions: [], tool_mocks: {} };
    expect(await simulate({ ...base, scenario: "says bye" })).toMatchObject({
      status: "passed",
      ended_by: "agent",
      turns_used: 1,
    });
    const endless = { ...base, scenario: "never ends", max_turns: 3, assertions: { ended_by: "agent" } };
    const run = await simulate(endless);
    expect(run).toMatchObject({ status: "failed", needs_review: false, ended_by: "max_turns", turns_used: 3 });
  });

  it("come in batches, which are counted, listed and found", async () => {
    const { team } = platform;
    const ids = await Promise.all([
      createTest(team, { ...reply, agent_ids: [agentId] }),
      createTest(team, { ...reply, conversation: [{ text: "Are you on strike?" }], agent_ids: [agentId] }),
    ]);
    const started = await startRuns(team, agentId, { repeat_count: 2 });
    expect(started).toMatchObject({ status: "running", completed: false, pass_rate: null });
    expect(started.runs.map(({ test_id: id, repeat_index: index }) => [id, index])).toEqual(
      expect.arrayContaining(ids.flatMap((id) => [0, 1].map((index) => [id, index]))),
    );
    const batch = await completedBatch(team, started);
    expect(batch).toMatchObject({ status: "completed", passed: 2, failed: 2, errors: 0, pass_rate: 0.5 });
    const path = `/v1/agent/agents/${agentId}/test-batches`;
    const { json } = await team.ask("GET", `${path}?page_size=1`);
    const { runs: _, ...summary } = batch;
    expect(json).toMatchObject({ batches: [{ ...summary, total: 4 }], has_more: true });
    const failed = await team.ask("GET", `/v1/agent/test-runs?batch_id=${batch.batch_id}&status=failed`);
    expect(failed.json["runs"]).toHaveLength(2);
    expect(Object.keys((failed.json["runs"] as object[])[0] ?? {})).not.toContain("simulation_result");
  });

  it("answer with 404 for what is not there, and with 422 for what cannot be run", async () => {
    const { team } = platform;
    const path = `/v1/agent/agents/${agentId}`;
    for (const missing of [`${path}/test-batches/x`, `${path}/test-batches/${"0".repeat(32)}`, "/v1/agent/test-runs/x"])
      expect((await team.ask("GET", missing)).status).toBe(404);
    expect((await team.ask("GET", "/v1/agent/test-runs?agent_id=x")).json["runs"]).toEqual([]);
    const run = (body: object, id = agentId) => team.ask("POST", `/v1/agent/agents/${id}/tests/run`, body);
    expect((await run({ test_ids: ["x"] })).text).toContain("Test not found");
    expect((await run({ repeat_count: 21 })).status).toBe(422);
    expect((await run({}, await createAgent(team))).text).toContain("The agent has no tests");
    expect((await run({ test_ids: [] })).text).toContain("No test is named");
    const tests = await Promise.all(Array.from({ length: 51 }, () => createTest(team, reply)));
    const many = await run({ test_ids: tests, repeat_count: 20 });
    expect([many.status, many.text]).toEqual([422, expect.stringContaining("1020 runs are more than the 1000")]);
  });
});

describe("runs of agents' tests without a language model", () => {
  it("need none for tools, and say what to set for the rest", async () => {
    const platform = await startTestPlatform("pglite");
    try {
      await platform.startRuntime();
      const agentId = await createAgent(platform.team);
      const tool = { test_type: "tool", conversation: opening, referenced_tool: { id: "t" } };
      expect(await runOne(platform.team, agentId, { ...tool, verify_absence: true })).toMatchObject({
        status: "passed",
        usage: { cost_usd: "0" },
      });
      expect(await runOne(platform.team, agentId, tool)).toMatchObject({ status: "failed" });
      for (const test of [reply, { test_type: "simulation", simulation: { scenario: "Asks." } }]) {
        const run = await runOne(platform.team, agentId, test);
        expect(run).toMatchObject({
          status: "error",
          error: expect.stringContaining("set LLM_BASE_URL and LLM_MODEL"),
        });
      }
    } finally {
      await platform.stop();
    }
  });
});
