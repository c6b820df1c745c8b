import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { agentSessionItems } from "#control-plane/sessions/tables";
import type { SessionAnalysis } from "#protocol/agents/analysis";
import type { CallAnalyzedPayload, WebhookPayload } from "#protocol/webhooks";
import type { TeamClient } from "../agents/client.js";
import { until } from "../harness/processes.js";
import { isSigned, type Receiver, startReceiver } from "../webhooks/receivers.js";
import { analysisAnswer } from "./analysis-script.js";
import { type Analyzer, startAnalyzer } from "./analyzer.js";
import {
  createSession,
  hasStatus,
  publishedAgent,
  type SessionPlatform,
  sessionWhen,
  startPlatform,
} from "./platform.js";

const SESSIONS = "/v1/agent/sessions";
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 23, 9, 0, seconds));
const wanted = {
  data_fields: [{ name: "reason", type: "enum", enum_options: ["order", "other"] }],
  criteria: [{ name: "solved", description: "The caller got what they wanted." }],
};
const isSettled = (json: Record<string, unknown>): boolean =>
  ["completed", "skipped", "error"].includes(String(analysisIn(json)?.status));
const analysisIn = (json: Record<string, unknown>): SessionAnalysis | null =>
  json["analysis"] as SessionAnalysis | null;

describe("the analysis of a call", () => {
  let receiver: Receiver;
  let endpoint: ScriptedEndpoint;
  let platform: SessionPlatform;
  let team: TeamClient;
  let paths = 0;
  let path = "";
  let holdsAnswers = false;

  beforeAll(async () => {
    receiver = await startReceiver();
    endpoint = await startScriptedEndpoint((request) =>
      holdsAnswers ? [{ waitMs: 60_000 }] : analysisAnswer(request),
    );
    platform = await startPlatform("pglite", { allow: [receiver.host] });
    team = await platform.addTeam();
  });
  afterAll(async () => {
    await platform?.stop();
    await receiver?.close();
    await endpoint?.close();
  });
  beforeEach(() => {
    path = `/${paths++}`;
    holdsAnswers = false;
  });

  async function analyzer(settings?: Record<string, string>): Promise<Analyzer> {
    const model = { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "scripted", LLM_PRICES: "scripted=2.5/10" };
    const started = await startAnalyzer(platform.fixture.natsUrl, settings ?? model);
    onTestFinished(() => started.kill());
    return started;
  }
  const agentWith = (analysis: object): Promise<string> =>
    publishedAgent(team, { webhooks: { post_call: [{ url: receiver.url(path), secret: "topsecret" }] }, analysis });
  /** A call in which the caller said so much, and which is over. */
  async function talked(agentId: string, words: string | null, query = ""): Promise<string> {
    const { json } = await team.ask("POST", `${SESSIONS}${query}`, { agent_id: agentId, end_user_id: "u-1" });
    const sessionId = String(json["session_id"]);
    const { runtime } = platform;
    runtime.write(sessionId, { type: "caller-joined" }, at(0));
    const reply = { replyId: "r", turnId: 0 };
    runtime.write(sessionId, { type: "reply-ended", ...reply, text: "Hello.", isInterrupted: false }, at(1));
    if (words !== null) runtime.write(sessionId, { type: "caller-said", turnId: 1, text: words }, at(2));
    runtime.write(sessionId, { type: "ended", reason: "caller_left", detail: null }, at(30));
    return sessionId;
  }
  const settled = async (sessionId: string): Promise<SessionAnalysis> =>
    analysisIn(await sessionWhen(team, sessionId, isSettled, "the analysis")) as SessionAnalysis;
  const events = (): WebhookPayload[] => receiver.at(path).map(({ payload }) => payload);
  async function analyzedEvents(count: number): Promise<CallAnalyzedPayload[]> {
    const found = (): CallAnalyzedPayload[] => events().filter((event) => event.event === "call.analyzed");
    await until(() => found().length >= count, { withinMs: 15_000, what: `${count} analyses at the receiver` });
    return found();
  }

  it("says what came of it, and comes to webhooks after the end, signed, with the listed fields", async () => {
    await analyzer();
    const sessionId = await talked(await agentWith(wanted), "I want to order.");
    const analysis = await settled(sessionId);
    expect(analysis).toEqual({
      status: "completed",
      summary: "They talked.",
      data: [{ name: "reason", type: "enum", value: null, rationale: "so" }],
      criteria_results: [{ name: "solved", result: "success", rationale: "so" }],
      ...{ error: null, skip_reason: null, model: "scripted", cost_usd: "0.0035" },
      finished_at: expect.any(String) as string,
    });
    await analyzedEvents(1);
    const [ended, analyzed] = events();
    expect(ended).toMatchObject({ event: "call.ended", ended_reason: "hangup" });
    const { error: _, skip_reason: __, model: ___, cost_usd: ____, ...told } = analysis;
    expect(analyzed).toEqual({ event: "call.analyzed", session: ended?.session, analysis: { ...told, error: null } });
    expect(analyzed?.session).toEqual({
      ...{ id: sessionId, agent_id: expect.any(String), branch_id: null, source: "api_key", status: "completed" },
      ...{ direction: "inbound", dial_status: null, answered_by: null, batch_call_id: null },
      ...{ conversation_started_at: at(0).toISOString(), conversation_ended_at: at(30).toISOString() },
      ...{ duration_seconds: 30, end_user_id: "u-1", metadata: {}, agent_name: "Ann", config_hash: expect.any(String) },
    });
    expect(receiver.at(path).every((receipt) => isSigned(receipt, "topsecret"))).toBe(true);
    expect(endpoint.problems).toEqual([]);
  });

  it.each<[string, string, Partial<SessionAnalysis>]>([
    ["is asked for again where the answer cannot be used", "On the second try.", { status: "completed" }],
    ["is an error where it cannot be used twice", "This is unreadable.", { status: "error", cost_usd: "0.007" }],
    ["is an error where the model refuses", "You are refused.", { status: "error", cost_usd: null }],
  ])("%s", async (_, words, expected) => {
    await analyzer();
    expect(await settled(await talked(await agentWith({}), words))).toMatchObject(expected);
    const [event] = await analyzedEvents(1);
    expect(event?.analysis).toMatchObject(
      expected.status === "completed"
        ? { status: "completed", error: null }
        : { status: "error", summary: null, data: [], criteria_results: [], error: expect.any(String) as string },
    );
  });

  const skipped = { status: "skipped", summary: null, data: [], criteria_results: [], error: null };

  it("is skipped where the caller never spoke, or nothing is to be found out, without a request to a model", async () => {
    const before = endpoint.requests.length;
    const off = await talked(await agentWith({ summary: { enabled: false } }), "Hello?");
    // Nobody who could analyze lives yet.
    expect(await settled(off)).toMatchObject({ ...skipped, skip_reason: "analysis_disabled" });
    await analyzer();
    const silent = await talked(await agentWith(wanted), null);
    expect(await settled(silent)).toMatchObject({ ...skipped, skip_reason: "caller_never_spoke" });
    for (const { analysis } of await analyzedEvents(2)) expect(analysis).toMatchObject(skipped);
    for (const sessionId of [off, silent])
      expect(events().flatMap(({ event, session }) => (session.id === sessionId ? [event] : []))).toEqual([
        "call.ended",
        "call.analyzed",
      ]);
    expect(endpoint.requests).toHaveLength(before);
  });

  it("is skipped without a language model, and completed where it is asked for again with one", async () => {
    const without = await analyzer({});
    const sessionId = await talked(await agentWith({}), "Hello?");
    const first = await settled(sessionId);
    expect(first).toMatchObject({ ...skipped, skip_reason: "no_language_model" });
    await without.kill();
    await analyzer();
    const { status, json } = await team.ask("POST", `${SESSIONS}/${sessionId}/analysis`);
    expect([status, json["summary"], json["finished_at"]]).toEqual([202, null, null]);
    const second = await settled(sessionId);
    expect(second.status).toBe("completed");
    expect(String(second.finished_at) > String(first.finished_at)).toBe(true);
    const told = (await analyzedEvents(2)).map(({ analysis }) => [analysis.status, analysis.finished_at]);
    expect(told).toEqual([
      ["skipped", first.finished_at],
      ["completed", second.finished_at],
    ]);
  });

  it("is not repeated while it is under way, and cannot be asked for before there is something to analyze", async () => {
    const agentId = await agentWith({});
    const open = await createSession(team, agentId);
    const ask = (sessionId: string) => team.ask("POST", `${SESSIONS}/${sessionId}/analysis`);
    expect([(await ask(open)).status, (await ask("f".repeat(32))).status]).toEqual([409, 404]);
    platform.runtime.write(open, { type: "ended", reason: "never_joined", detail: null });
    await sessionWhen(team, open, hasStatus("failed"), "the end of the session");
    expect((await ask(open)).text).toContain("Nobody joined the session");
    const queued = await talked(agentId, "Hello?");
    await sessionWhen(team, queued, hasStatus("completed"), "the end of the session");
    expect([(await ask(queued)).json["status"], (await ask(queued)).json["status"]]).toEqual(["queued", "queued"]);
    await analyzer();
    await settled(queued);
    expect(await analyzedEvents(1)).toHaveLength(1);
  });

  it("is made of a preview on request alone, and no webhook hears of it", async () => {
    await analyzer();
    const agentId = await agentWith({});
    const previewed = await talked(agentId, "Hello?", "?preview=true");
    const detail = await sessionWhen(team, previewed, hasStatus("completed"), "the end of the preview");
    expect(detail["analysis"]).toBeNull();
    expect((await team.ask("POST", `${SESSIONS}/${previewed}/analysis`)).status).toBe(202);
    expect((await settled(previewed)).status).toBe("completed");
    await settled(await talked(agentId, "Hello?"));
    // Those of the preview would have come before.
    await analyzedEvents(1);
    expect(events().filter(({ session }) => session.id === previewed)).toEqual([]);
  });

  it("reads from the log what is not in the records yet", async () => {
    const sessionId = await talked(await agentWith({}), "Hello?");
    await sessionWhen(team, sessionId, hasStatus("completed"), "the end of the session");
    await platform.fixture.db.delete(agentSessionItems).where(eq(agentSessionItems.sessionId, sessionId));
    await analyzer();
    expect((await settled(sessionId)).status).toBe("completed");
    const [{ body } = { body: null }] = endpoint.requests.slice(-1);
    expect(body?.messages.at(-1)?.content).toContain('Agent: "Hello."\nCaller: "Hello?"');
  });

  it("is taken over from a runtime that is killed, and at once from one that is stopped", async () => {
    holdsAnswers = true;
    const before = endpoint.requests.length;
    const asked = (count: number): Promise<void> =>
      until(() => endpoint.requests.length >= before + count, { withinMs: 20_000, what: `question ${count}` });
    const [killed, sessionId] = [await analyzer(), await talked(await agentWith({}), "Hello?")];
    await asked(1);
    await killed.kill();
    const stopped = await analyzer();
    await asked(2);
    holdsAnswers = false;
    await stopped.drain();
    await analyzer();
    expect((await settled(sessionId)).status).toBe("completed");
    expect(await analyzedEvents(1)).toHaveLength(1);
  });
});
