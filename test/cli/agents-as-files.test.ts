import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { systemClock } from "#common/clock";
import { decidePush } from "../../cli/agents-as-files/decision.js";
import { Folder, LOCK_FILE } from "../../cli/agents-as-files/folder.js";
import { pullAgents } from "../../cli/agents-as-files/pull.js";
import { pushFolder } from "../../cli/agents-as-files/push.js";
import { describeRun, passRate, runAgentTests } from "../../cli/agents-as-files/run-tests.js";
import { answerOf, type PublicApi } from "../../cli/public-api.js";
import { startRuns, startTestPlatform, type TestPlatform } from "../agent-tests/platform.js";
import { addClient, createAgent, type TeamClient } from "../agents/client.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const question = { conversation: [{ text: "How is the weather in Rome?" }] };

describe("agents that are kept as files", () => {
  const directory = temporaryDirectory("agents-as-files");
  let platform: TestPlatform;
  let api: PublicApi;
  let folder: Folder;
  let agentId: string;
  let toolId: string;
  let testId: string;

  const path = (file: string): string => join(directory.path, file);
  const read = (file: string) => parse(readFileSync(path(file), "utf8"));
  const replace = (file: string, from: string, to: string): void => {
    const text = readFileSync(path(file), "utf8");
    expect(text).toContain(from);
    writeFileSync(path(file), text.replace(from, to));
  };
  const push = async (force = false) => summary(await pushFolder(api, folder, { force, dryRun: false }));
  const pull = async (force = false) => summary(await pullAgents(api, folder, [agentId], { force }));

  beforeAll(async () => {
    platform = await startTestPlatform("pglite");
    api = apiOf(platform.team, "http://one");
    folder = new Folder(directory.path, api.baseUrl);
    const tool = {
      name: "get_weather",
      url: "https://api.example.com/weather?city={{city}}",
      arguments: [{ name: "city" }],
    };
    toolId = (await api.ask<{ tool_id: string }>("POST", "/v1/agent/tools", tool)).tool_id;
    const test = {
      ...{ name: "Asks for the weather!", test_type: "tool", ...question },
      referenced_tool: { id: toolId, name: "get_weather" },
    };
    testId = (await api.ask<{ test_id: string }>("POST", "/v1/agent/tests", test)).test_id;
    agentId = await createAgent(platform.team, {
      name: "Ännchen",
      config: { prompt: { system_prompt: "You answer.\nShortly." }, tools: { tool_ids: [toolId] } },
    });
    await api.ask("PUT", `/v1/agent/agents/${agentId}/tests/${testId}`);
  });
  afterAll(async () => {
    await platform.stop();
    directory.remove();
  });

  it("are written with their tools and tests, by name", async () => {
    expect(await pull()).toEqual({
      "tools/get-weather": "write",
      "tests/asks-for-the-weather": "write",
      "agents/annchen": "write",
    });
    expect(read("agents/annchen.yaml")).toMatchObject({
      name: "Ännchen",
      tests: ["asks-for-the-weather"],
      config: { prompt: { system_prompt: "You answer.\nShortly." }, tools: { tool_ids: ["get-weather"] } },
    });
    expect(read("tests/asks-for-the-weather.yaml")).toMatchObject({ referenced_tool: { id: "get-weather" } });
    const all = ["agents/annchen", "tests/asks-for-the-weather", "tools/get-weather"];
    for (const file of all) expect(readFileSync(path(`${file}.yaml`), "utf8")).not.toMatch(/[0-9a-f]{32}/);
    const unchanged = Object.fromEntries(all.map((file) => [file, "unchanged"]));
    expect(await pull()).toEqual(unchanged);
    expect(await push()).toEqual(unchanged);
  });

  it("change on the service as their files do, which stay as they were written", async () => {
    replace("agents/annchen.yaml", "    Shortly.", "    In one sentence.");
    replace("agents/annchen.yaml", "name: ", "# The one at the door.\nname: ");
    expect(await push()).toEqual({
      "tools/get-weather": "unchanged",
      "tests/asks-for-the-weather": "unchanged",
      "agents/annchen": "update",
    });
    const config = await api.ask<object>("GET", `/v1/agent/agents/${agentId}/config`);
    expect(config).toMatchObject({
      prompt: { system_prompt: "You answer.\nIn one sentence." },
      tools: { tool_ids: [toolId] },
    });
    expect(readFileSync(path("agents/annchen.yaml"), "utf8")).toContain("# The one at the door.");
    expect(Object.values(await push())).not.toContain("update");
  });

  it("are not pushed over what changed on the service, nor pulled over what changed here, unless that is asked for", async () => {
    await api.ask("PATCH", `/v1/agent/tools/${toolId}`, { description: "Of the service" });
    expect(await push()).toMatchObject({ "tools/get-weather": "unchanged" });
    replace("tools/get-weather.yaml", 'description: ""', "description: Of the file");
    replace("agents/annchen.yaml", "In one sentence.", "In two sentences.");
    await expect(push()).rejects.toThrow(/changed or deleted on the service.*:\n {2}tools\/get-weather\.yaml\n/);
    expect(await api.ask("GET", `/v1/agent/agents/${agentId}/config`)).toMatchObject({
      prompt: { system_prompt: "You answer.\nIn one sentence." },
    });
    await expect(pull()).rejects.toThrow(/changed here.*:\n {2}tools\/get-weather\.yaml\n/);
    expect(read("tools/get-weather.yaml")["description"]).toBe("Of the file");
    expect(await push(true)).toMatchObject({ "tools/get-weather": "update", "agents/annchen": "update" });
    expect(await api.ask("GET", `/v1/agent/tools/${toolId}`)).toMatchObject({ description: "Of the file" });

    await api.ask("PATCH", `/v1/agent/tests/${testId}`, { name: "Asks again" });
    expect(await pull()).toEqual({
      "tools/get-weather": "unchanged",
      "tests/asks-for-the-weather": "write",
      "agents/annchen": "unchanged",
    });
    expect(read("tests/asks-for-the-weather.yaml")["name"]).toBe("Asks again");
  });

  it("are made from files that somebody wrote, and say what they would do before", async () => {
    writeFileSync(path("tools/find-order.yaml"), "name: find_order\nurl: https://api.example.com/orders\n");
    const test = { name: "Leaves orders alone", test_type: "tool", ...question, verify_absence: true };
    writeFileSync(
      path("tests/no-order.yaml"),
      JSON.stringify({ ...test, referenced_tool: { id: "find-order", name: "find_order" } }),
    );
    writeFileSync(
      path("agents/bob.yaml"),
      "name: Bob\npublic_enabled: false\ntests: [no-order, asks-for-the-weather]\nconfig:\n  tools: {tool_ids: [find-order]}\n",
    );
    const before = readFileSync(path(LOCK_FILE), "utf8");
    const dry = summary(await pushFolder(api, folder, { force: false, dryRun: true }));
    expect(readFileSync(path(LOCK_FILE), "utf8")).toBe(before);
    expect(await push()).toEqual(dry);
    expect(dry).toMatchObject({ "tools/find-order": "create", "tests/no-order": "create", "agents/bob": "create" });

    const { agents, tools } = await folder.readState();
    const bob = agents["bob"]?.id ?? "";
    expect(await attachedNames(api, bob)).toEqual(["Asks again", "Leaves orders alone"]);
    expect(await api.ask("GET", `/v1/agent/agents/${bob}/config`)).toMatchObject({
      tools: { tool_ids: [tools["find-order"]?.id] },
    });
    replace("agents/bob.yaml", "tests: [no-order, asks-for-the-weather]", "tests: [no-order]");
    expect(await push()).toMatchObject({ "agents/bob": "update" });
    expect(await attachedNames(api, bob)).toEqual(["Leaves orders alone"]);
  });

  it("are made anew on another service, with that one's ids", async () => {
    const other = apiOf(await addClient(platform.fixture), "http://two");
    const there = new Folder(directory.path, other.baseUrl);
    expect(new Set(Object.values(summary(await pushFolder(other, there, { force: false, dryRun: false }))))).toEqual(
      new Set(["create"]),
    );
    const [ours, theirs] = [await folder.readState(), await there.readState()];
    const twin = theirs.agents["annchen"]?.id ?? "";
    expect(twin).not.toBe(ours.agents["annchen"]?.id);
    expect(await other.ask("GET", `/v1/agent/agents/${twin}/config`)).toMatchObject({
      tools: { tool_ids: [theirs.tools["get-weather"]?.id] },
    });
  });

  it("are refused as files that make no sense, by the file's name", async () => {
    const refused = async (file: string, text: string): Promise<string> => {
      writeFileSync(path(file), text);
      const message = await push().then(
        () => "taken",
        (error: Error) => error.message,
      );
      rmSync(path(file));
      return message;
    };
    expect(await refused("agents/x.yaml", "a: [")).toMatch(/^agents\/x\.yaml is no YAML: /);
    expect(await refused("tools/x.yaml", "- a\n")).toBe("tools/x.yaml should be a mapping of fields");
    expect(await refused("agents/x.yaml", "name: X\ntests: [gone]\n")).toContain("names the test gone");
    expect(await refused("agents/x.yaml", "name: X\ncolour: red\n")).toContain("no field colour");
    expect(await refused("tools/x.yaml", "name: x\n")).toMatch(/tools\/x\.yaml: .*422.*url/s);
    const agents = await api.ask<{ agents: { name: string }[] }>("GET", "/v1/agent/agents?page_size=100");
    expect(agents.agents.map(({ name }) => name).sort()).toEqual(["Bob", "Ännchen"]);
  });

  it("that are gone from the service are made again when that is asked for", async () => {
    const { agents } = await folder.readState();
    await api.ask("DELETE", `/v1/agent/agents/${agents["bob"]?.id}`);
    await expect(push()).rejects.toThrow(/deleted on the service/);
    expect(decidePush({ file: "f", server: null, synced: agents["bob"] ?? null }, true)).toBe("create");
    expect(await push(true)).toMatchObject({ "agents/bob": "create", "tools/find-order": "unchanged" });
  });

  it("are tested, and the share of what passed is known", async () => {
    await platform.startRuntime({ LLM_BASE_URL: "http://127.0.0.1:9", LLM_MODEL: "none" });
    const { agents } = await folder.readState();
    // Nobody answers at the model's address: both runs are errors, which are no passes.
    const limits = { repeats: 2, timeoutMs: 60_000, clock: systemClock };
    const bob = agents["bob"]?.id ?? "";
    await startRuns(platform.team, bob);
    const batch = await runAgentTests(api, bob, limits);
    expect(batch.runs).toHaveLength(2);
    expect(passRate([batch])).toBe(0);
    expect(batch.runs.map(describeRun)).toEqual(
      Array(2).fill(expect.stringMatching(/^error {3}Leaves orders alone: \w/)),
    );
    const passed = { ...batch, runs: batch.runs.map((run) => ({ ...run, status: "passed" as const })) };
    expect(passRate([batch, passed])).toBe(0.5);
  }, 90_000);
});

const summary = (files: readonly { kind: string; name: string; step: string }[]): Record<string, string> =>
  Object.fromEntries(files.map(({ kind, name, step }) => [`${kind}/${name}`, step]));

async function attachedNames(api: PublicApi, agentId: string): Promise<string[]> {
  const { tests } = await api.ask<{ tests: { name: string }[] }>("GET", `/v1/agent/tests?agent_id=${agentId}`);
  return tests.map(({ name }) => name).sort();
}

/** The API as a command sees it, without an edge between. */
function apiOf(team: TeamClient, baseUrl: string): PublicApi {
  const send: PublicApi["send"] = async (method, address, body) => {
    const { status, text } = await team.ask(method, address, body);
    return new Response(text === "" ? null : text, { status });
  };
  return { baseUrl, send, ask: async (method, address, body) => await answerOf(await send(method, address, body)) };
}
