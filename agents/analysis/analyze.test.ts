import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { loadConfig } from "#common/config/config";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { openTokenCounter } from "#common/text/token-count";
import { type AgentConfig, agentConfig } from "#protocol/agents/config";
import type { AnalysisResult } from "#protocol/agents/analysis";
import type { SessionItem } from "#protocol/agents/session";
import { type Answer, type ScriptedEndpoint, startScriptedEndpoint } from "../model/testing/scripted-endpoint.js";
import { planOf } from "../testing/plan.js";
import { type AnalysisContext, analyze } from "./analyze.js";

const log = pino({ level: "silent" });
const sealer = createSealer(["test key ".repeat(8)]);
const said = (role: "user" | "assistant", content: string): SessionItem => ({
  ...{ type: "message", role, content, turn_id: 1, created_at: null },
});
const call = [said("assistant", "Hello."), said("user", "Book a table for four, please."), said("assistant", "Done.")];

const wanted: AgentConfig["analysis"] = {
  summary: { enabled: true, prompt: "One line for the kitchen.", language: "de" },
  data_fields: [
    { name: "guests", type: "number", description: "How many come", enum_options: null },
    { name: "is_regular", type: "boolean", description: "", enum_options: null },
    { name: "occasion", type: "enum", description: "", enum_options: ["birthday", "other"] },
    { name: "constructor", type: "text", description: "", enum_options: null },
  ],
  criteria: [{ name: "was_polite", description: "The agent thanks the caller." }],
};
const right = {
  summary: " Ein Tisch für vier. ",
  data: {
    guests: { rationale: "said so", value: 4 },
    is_regular: { rationale: "not said", value: null },
    occasion: { rationale: "not said", value: "other" },
    constructor: { rationale: "not said", value: "x" },
  },
  criteria: { was_polite: { rationale: "no thanks", result: "failure" } },
};
const usage = { prompt_tokens: 1000, completion_tokens: 100 };
const answer = (value: unknown): Answer => [
  { text: typeof value === "string" ? value : JSON.stringify(value) },
  { finish: "stop", usage },
];

describe("an analysis", () => {
  let endpoint: ScriptedEndpoint | null = null;
  afterEach(async () => {
    await endpoint?.close();
    endpoint = null;
  });

  async function analyzed(
    answers: readonly Answer[],
    given: { analysis?: AgentConfig["analysis"]; items?: SessionItem[]; omittedItems?: number; tokens?: number } = {},
  ): Promise<AnalysisResult> {
    endpoint = await startScriptedEndpoint((_request, count) => answers[count - 1] ?? { status: 404 });
    const settings = { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "scripted", LLM_PRICES: "scripted=2.5/10" };
    return await analyze(await context(settings, given.tokens), jobOf(given), new AbortController().signal);
  }
  async function context(settings: Record<string, string>, tokens = 16_000): Promise<AnalysisContext> {
    const config = { ...loadConfig(settings), AGENT_ANALYSIS_TOKENS: tokens };
    return { config, log, sealer, outbound: createOutbound({ allow: [], log }), countTokens: await openTokenCounter() };
  }
  const jobOf = ({
    analysis = wanted,
    items = call,
    omittedItems = 0,
  }: {
    analysis?: AgentConfig["analysis"];
    items?: SessionItem[];
    omittedItems?: number;
  }) => ({
    ...{ runId: "s", attempt: 1, items, omittedItems, endedReason: "caller_left" as const },
    plan: planOf({ config: { analysis }, timezone: "Europe/Berlin" }),
    startedAtEpochMs: Date.UTC(2026, 10, 23, 9),
  });
  /** What the model was asked, the newest last. */
  const prompts = (): string[] =>
    (endpoint?.requests ?? []).map(({ body }) => body.messages.map(({ content }) => content).join("\n"));

  it("gives a summary, data and criteria, and what they cost", async () => {
    expect(await analyzed([answer(right)])).toEqual({
      status: "completed",
      summary: "Ein Tisch für vier.",
      data: [
        { name: "guests", type: "number", value: 4, rationale: "said so" },
        { name: "is_regular", type: "boolean", value: null, rationale: "not said" },
        { name: "occasion", type: "enum", value: "other", rationale: "not said" },
        { name: "constructor", type: "text", value: "x", rationale: "not said" },
      ],
      criteria_results: [{ name: "was_polite", result: "failure", rationale: "no thanks" }],
      ...{ error: null, skip_reason: null, model: "scripted", cost_usd: "0.0035" },
    });
    expect(endpoint?.problems).toEqual([]);
    expect(endpoint?.requests[0]?.body).toMatchObject({
      temperature: 0,
      response_format: { json_schema: { name: "analysis", strict: true } },
    });
    const [prompt] = prompts();
    for (const words of [
      "One line for the kitchen.",
      "in German",
      '- guests (number): "How many come"',
      '- occasion (one of ["birthday","other"]): "occasion"',
      '- was_polite: "The agent thanks the caller."',
      "Began: 2026-11-23T09:00:00.000Z, time zone of the caller: Europe/Berlin",
      'Caller: "Book a table for four, please."\nAgent: "Done."',
    ])
      expect(prompt).toContain(words);
  });

  it("wants no more than is configured", async () => {
    const analysis = { ...agentConfig.parse({}).analysis, data_fields: [], criteria: wanted.criteria };
    analysis.summary.enabled = false;
    const found = await analyzed([answer({ criteria: right.criteria })], { analysis });
    expect(found).toMatchObject({ status: "completed", summary: null, data: [] });
    expect(prompts()[0]).not.toMatch(/# summary|# data/);
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "It went well.", "not a JSON object"],
    ["a field too many", { ...right, mood: "good" }, "mood"],
    ["a field too few", { ...right, data: { ...right.data, guests: undefined } }, "guests"],
    ["a text for a number", { ...right, data: { ...right.data, guests: { rationale: "", value: "four" } } }, "guests"],
    ["no option", { ...right, data: { ...right.data, occasion: { rationale: "", value: "gala" } } }, "occasion"],
    ["another verdict", { ...right, criteria: { was_polite: { rationale: "", result: "maybe" } } }, "was_polite"],
    ["an empty summary", { ...right, summary: " " }, "summary is empty"],
  ])("is asked for again, with the complaint, after %s", async (_, wrong, complaint) => {
    expect((await analyzed([answer(wrong), answer(right)])).status).toBe("completed");
    expect(prompts()[1]).toContain("This answer cannot be used");
    expect(endpoint?.requests[1]?.body.messages.at(-1)?.content).toContain(complaint);
    expect(endpoint?.problems).toEqual([]);
  });

  it("is an error after two answers that cannot be used, and says what it cost", async () => {
    const found = await analyzed([answer("no"), answer("no")]);
    expect(found).toMatchObject({ status: "error", summary: null, data: [], criteria_results: [], cost_usd: "0.007" });
    expect(found.error).toMatch(/could not be used, twice/);
  });

  it("is an error where the endpoint refuses, and of unknown cost", async () => {
    expect(await analyzed([{ status: 401 }])).toMatchObject({
      ...{ status: "error", cost_usd: null },
      error: expect.stringContaining("The language model failed") as string,
    });
  });

  it("is skipped without a language model", async () => {
    const found = await analyze(await context({}), jobOf({}), new AbortController().signal);
    expect(found).toMatchObject({ status: "skipped", skip_reason: "no_language_model" });
  });

  it("rejects where it is given up", async () => {
    const controller = new AbortController();
    endpoint = await startScriptedEndpoint(() => {
      controller.abort();
      return [{ waitMs: 60_000 }];
    });
    const settings = { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "scripted" };
    await expect(analyze(await context(settings), jobOf({}), controller.signal)).rejects.toThrow();
  });

  it("shows of a long conversation the beginning and the end, and says how much it leaves out", async () => {
    const items = Array.from({ length: 200 }, (_, index) => said("user", `Sentence number ${index} of many.`));
    await analyzed([answer(right)], { items, tokens: 1000 });
    const lines = prompts()[0]?.split("# Conversation\n")[1]?.split("\n") ?? [];
    expect(lines[0]).toContain("number 0 ");
    expect(lines.at(-1)).toContain("number 199 ");
    const gap = lines.findIndex((line) => line.startsWith("["));
    expect(lines[gap]).toContain(`[${200 - (lines.length - 1)} lines are left out here`);
    expect([gap > 5, lines.length - gap > 30, lines.length < 120]).toEqual([true, true, true]);
  });

  it("says of items that were left out before that they are missing", async () => {
    await analyzed([answer(right)], { omittedItems: 7 });
    expect(prompts()[0]).toContain("# Conversation\n[7 lines are left out here");
  });
});
