import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { LifecycleState, ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { auditLedger } from "#control-plane/ledger/audit";
import { engines } from "../control-plane/databases.js";
import { clientOf, createAgent, type TeamClient } from "../agents/client.js";
import { until } from "../harness/processes.js";
import {
  createSession,
  hasStatus,
  publishedAgent,
  type SessionPlatform,
  sessionWhen,
  startPlatform,
} from "./platform.js";
import { everySpeech, model } from "./worker.js";
import { readToken } from "./room-server.js";

const missing = "f".repeat(32);
const SESSIONS = "/v1/agent/sessions";
/** What is held for the default half hour at a cent a minute, in micros. */
const HELD = 300_000;

describe.each(engines)("sessions on %s", (engine) => {
  let platform: SessionPlatform;
  let team: TeamClient;
  let agentId: string;

  beforeAll(async () => {
    platform = await startPlatform(engine);
    team = await platform.addTeam();
    agentId = await publishedAgent(
      team,
      { prompt: { system_prompt: "Be kind." } },
      { overrides_allowed: ["voice_id"] },
    );
  });
  afterAll(() => platform.stop());

  const begin = (body: Record<string, unknown> = {}, of: TeamClient = team) =>
    of.ask("POST", SESSIONS, { agent_id: agentId, ...body });
  const planOf = (sessionId: string) => platform.runtime.started.find(({ plan }) => plan.sessionId === sessionId)?.plan;

  it("begin with a room, a runtime in it, a token for it, and credit held", async () => {
    const own = await platform.addTeam(1_000_000);
    const agent = await publishedAgent(own, { conversation: { max_duration_seconds: 120 } });
    const before = Date.now();
    const { status, json } = await own.ask("POST", SESSIONS, { agent_id: agent, name: "Call", metadata: { order: 7 } });
    expect([status, json]).toEqual([
      201,
      {
        session_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        expires_at: expect.any(String) as string,
        max_duration_seconds: 120,
        transport: "livekit",
        webrtc_url: "wss://rooms.example",
        livekit_url: "wss://rooms.example",
        token: expect.any(String) as string,
      },
    ]);
    const sessionId = String(json["session_id"]);
    const expiresMs = Date.parse(String(json["expires_at"]));
    expect(expiresMs - before).toBeGreaterThanOrEqual(60_000);
    expect(expiresMs - before).toBeLessThan(75_000);

    const plan = planOf(sessionId);
    expect(plan).toMatchObject({
      teamId: own.principal.teamId,
      agentId: agent,
      agentName: "Ann",
      maxDurationMs: 120_000,
    });
    expect(platform.roomServer.rooms.get(plan?.room.name ?? "")).toMatchObject({
      maxParticipants: 5,
      emptyTimeout: 90,
    });
    const claims = readToken(String(json["token"]), platform.roomServer.apiSecret);
    expect(claims).toMatchObject({ iss: platform.roomServer.apiKey, sub: plan?.room.callerIdentity });
    expect(claims.video).toEqual({
      room: plan?.room.name,
      roomJoin: true,
      canSubscribe: true,
      canPublish: true,
      canPublishSources: ["microphone"],
      canPublishData: true,
      canUpdateOwnMetadata: false,
    });
    expect(Math.abs((claims.exp ?? 0) * 1000 - expiresMs)).toBeLessThan(3000);

    expect(await platform.balances(own)).toEqual({ credit: 980_000, held: 20_000, spent: 0 });
    expect((await own.ask("GET", `${SESSIONS}/${sessionId}`)).json).toMatchObject({
      session_id: sessionId,
      agent_id: agent,
      agent_name: "Ann",
      name: "Call",
      status: "pending",
      source: "api_key",
      direction: "inbound",
      metadata: { order: 7 },
      started_at: null,
      items: [],
      analysis: null,
      turn_latencies: [],
      responder: null,
      ended_reason: null,
    });
  });

  it("become what their log says, and cost what they lasted", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(own, await publishedAgent(own));
    const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds));
    const { runtime } = platform;
    const call = { callId: "c1", turnId: 1, name: "look_up", source: "webhook" as const };
    runtime.write(sessionId, { type: "taken", runtimeId: runtime.id, attempt: 1 }, at(0));
    runtime.write(sessionId, { type: "caller-joined" }, at(1));
    runtime.write(sessionId, { type: "reply-started", replyId: "r0", turnId: 0, responder: "gpt-test" }, at(2));
    runtime.write(sessionId, { type: "reply-text", replyId: "r0", text: "Hello! What can I" }, at(2));
    runtime.write(
      sessionId,
      { type: "reply-ended", replyId: "r0", turnId: 0, text: "Hello!", isInterrupted: true },
      at(3),
    );
    runtime.write(sessionId, { type: "caller-said", turnId: 1, text: "Where is my order\u0000?\ud800" }, at(4));
    runtime.write(sessionId, { type: "tool-called", ...call, input: '{"id":1}' }, at(5));
    runtime.write(
      sessionId,
      {
        ...{ type: "tool-answered", ...call, status: "completed", output: "on its way" },
        ...{ isOutputTruncated: false, error: null, latencyMs: 12.6 },
      },
      at(5),
    );
    const unknownLatency = { endpointingMs: null, recognitionMs: null, modelFirstTokenMs: null };
    runtime.write(
      sessionId,
      {
        type: "turn-latency",
        turnId: 1,
        latency: { totalMs: 640.4, ...unknownLatency, firstClauseMs: null, firstAudioMs: 80 },
      },
      at(6),
    );
    await sessionWhen(own, sessionId, hasStatus("active"), "an active session");
    runtime.write(sessionId, { type: "ended", reason: "caller_left", detail: null }, at(61));
    const detail = await sessionWhen(own, sessionId, hasStatus("completed"), "the end of the session");
    const placed = { turn_id: 1, created_at: at(5).toISOString() };
    const tool = { call_id: "c1", tool_name: "look_up", tool_source: "webhook" };
    expect(detail).toMatchObject({
      started_at: at(1).toISOString(),
      ended_at: at(61).toISOString(),
      duration_seconds: 60,
      ended_reason: "caller_left",
      responder: "gpt-test",
      items: [
        { type: "message", role: "assistant", content: "Hello!", turn_id: 0, created_at: at(3).toISOString() },
        {
          type: "message",
          role: "user",
          content: "Where is my order\ufffd?\ufffd",
          turn_id: 1,
          created_at: at(4).toISOString(),
        },
        { type: "tool_call", ...tool, input: '{"id":1}', ...placed },
        {
          ...{ type: "tool_result", ...tool, status: "completed", output: "on its way" },
          ...{ output_truncated: false, error: null, latency_ms: 13, ...placed },
        },
      ],
      turn_latencies: [{ turn_id: 1, total_ms: 640, endpointing_ms: null, first_audio_ms: 80 }],
    });
    expect(await platform.balances(own)).toEqual({ credit: 990_000, held: 0, spent: 10_000 });
    expect(await auditLedger(platform.fixture.db)).toEqual([]);
  });

  it("cost at most what was held, however long the log says they were", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(
      own,
      await publishedAgent(own, { conversation: { max_duration_seconds: 60 } }),
    );
    platform.runtime.write(sessionId, { type: "caller-joined" }, new Date("2026-11-22T10:00:00Z"));
    platform.runtime.write(
      sessionId,
      { type: "ended", reason: "max_duration", detail: null },
      new Date("2026-11-22T11:00:00Z"),
    );
    await sessionWhen(own, sessionId, hasStatus("completed"), "the end of the session");
    expect(await platform.balances(own)).toEqual({ credit: 990_000, held: 0, spent: 10_000 });
  });

  it.each([
    ["llm_endpoint_failure", "failed"],
    ["error", "failed"],
    ["room_lost", "failed"],
    ["agent_hung_up", "completed"],
    ["silence", "completed"],
  ] as const)("that end with %s are %s", async (reason, status) => {
    const sessionId = await createSession(team, agentId);
    platform.runtime.write(sessionId, { type: "caller-joined" });
    platform.runtime.write(sessionId, { type: "ended", reason, detail: "what went wrong" });
    expect(await sessionWhen(team, sessionId, hasStatus(status), status)).toMatchObject({ ended_reason: reason });
  });

  it("cost nothing when nobody joined", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(own, await publishedAgent(own));
    platform.runtime.write(sessionId, { type: "ended", reason: "never_joined", detail: null });
    const detail = await sessionWhen(own, sessionId, hasStatus("failed"), "the end of the session");
    expect(detail).toMatchObject({ duration_seconds: null, started_at: null, ended_reason: "never_joined" });
    expect(await platform.balances(own)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("end on request, by their runtime, and stay ended", async () => {
    const sessionId = await createSession(team, agentId);
    platform.runtime.write(sessionId, { type: "caller-joined" });
    await sessionWhen(team, sessionId, hasStatus("active"), "an active session");
    platform.runtime.onEnd = (question) =>
      platform.runtime.write(question.sessionId, { type: "ended", reason: "requested", detail: null });
    expect(await team.ask("POST", `${SESSIONS}/${sessionId}/end`)).toMatchObject({ status: 204, text: "" });
    expect(platform.runtime.ended).toContainEqual({ sessionId, reason: "requested" });
    const detail = await sessionWhen(team, sessionId, hasStatus("completed"), "the end of the session");
    expect(detail["ended_reason"]).toBe("requested");
    expect((await team.ask("POST", `${SESSIONS}/${sessionId}/end`)).status).toBe(204);
    expect((await team.ask("GET", `${SESSIONS}/${sessionId}`)).json).toEqual(detail);
  });

  it("end on request also where their runtime does not hold them any more", async () => {
    const sessionId = await createSession(team, agentId);
    await platform.fixture.bus.request(
      `parley.agents.${platform.runtime.id}.end`,
      { sessionId, reason: "by somebody else" },
      { timeoutMs: 5000, dependency: "the runtime" },
    );
    expect((await team.ask("POST", `${SESSIONS}/${sessionId}/end`)).status).toBe(204);
    expect((await team.ask("GET", `${SESSIONS}/${sessionId}`)).json).toMatchObject({
      status: "completed",
      ended_reason: "requested",
      duration_seconds: null,
    });
    expect(platform.roomServer.deleted).toContain(planOf(sessionId)?.room.name);
  });

  it("end at once where their runtime is still on its way into the room, which is left to it", async () => {
    const sessionId = await createSession(team, agentId);
    platform.runtime.isOpen = false;
    expect((await team.ask("POST", `${SESSIONS}/${sessionId}/end`)).status).toBe(204);
    platform.runtime.isOpen = true;
    expect(platform.runtime.ended).toContainEqual({ sessionId, reason: "requested" });
    expect((await team.ask("GET", `${SESSIONS}/${sessionId}`)).json).toMatchObject({
      ...{ status: "completed", ended_reason: "requested", duration_seconds: null },
    });
    expect(platform.roomServer.deleted).not.toContain(planOf(sessionId)?.room.name);
  });

  it("run the configuration that was published, with the overrides that the agent allows", async () => {
    const path = `/v1/agent/agents/${agentId}`;
    await team.ask("PATCH", `${path}/config`, { prompt: { system_prompt: "Changed, not published." } });
    const sessionId = await createSession(team, agentId, {
      overrides: { voice_profile_id: "v2" },
      dynamic_variables: { name: "Ann", count: 3 },
      timezone: "Europe/Berlin",
      llm_extra_body: { top_k: 1 },
    });
    expect(planOf(sessionId)).toMatchObject({
      config: { prompt: { system_prompt: "Be kind." }, voice: { voice_id: "v2" } },
      dynamicVariables: { name: "Ann", count: "3" },
      timezone: "Europe/Berlin",
      llmExtraBody: { top_k: 1 },
    });
    expect(await begin({ overrides: { system_prompt: "x", voice_id: "v" }, language: "de" })).toMatchObject({
      status: 400,
      json: { message: "This agent does not allow sessions to override system_prompt, language" },
    });
  });

  it("preview the draft, published or not", async () => {
    const draft = await createAgent(team, { name: "Draft", config: { prompt: { system_prompt: "In the making." } } });
    expect(await team.ask("POST", SESSIONS, { agent_id: draft })).toMatchObject({
      status: 409,
      json: { message: "Agent has no published version" },
    });
    const { status, json } = await team.ask("POST", `${SESSIONS}?preview=true`, { agent_id: draft });
    expect(status).toBe(201);
    const sessionId = String(json["session_id"]);
    expect(planOf(sessionId)?.config.prompt.system_prompt).toBe("In the making.");
    expect((await team.ask("GET", `${SESSIONS}/${sessionId}`)).json["source"]).toBe("dashboard");
  });

  it.each<[Record<string, unknown>, (string | number)[], string]>([
    [{ agent_id: undefined }, ["agent_id"], "missing"],
    [{ extra: 1 }, ["extra"], "extra_forbidden"],
    [{ preview: true }, ["preview"], "extra_forbidden"],
    [{ name: "x".repeat(129) }, ["name"], "string_too_long"],
    [{ timezone: "x".repeat(65) }, ["timezone"], "string_too_long"],
    [{ timezone: "Middle/Earth" }, ["timezone"], "value_error"],
    [{ timezone: "+05:30" }, ["timezone"], "value_error"],
    [{ client_timezone: "x".repeat(65) }, ["client_timezone"], "string_too_long"],
    [{ client_timezone: 5 }, ["client_timezone"], "string_type"],
    [{ end_user_id: "x".repeat(257) }, ["end_user_id"], "string_too_long"],
    [{ end_user_id: "a\u0000" }, ["end_user_id"], "value_error"],
    [{ world_context: "yes" }, ["world_context"], "bool_type"],
    [{ tool_events: 1 }, ["tool_events"], "bool_type"],
    [{ record_audio: "no" }, ["record_audio"], "bool_type"],
    [{ language: "pt" }, ["language"], "literal_error"],
    [{ overrides: { language: "xx" } }, ["overrides", "language"], "literal_error"],
    [{ overrides: { other: 1 } }, ["overrides", "other"], "extra_forbidden"],
    [{ overrides: { voice_id: "x".repeat(257) } }, ["overrides", "voice_id"], "string_too_long"],
    [{ overrides: { voice_id: "a", voice_profile_id: "b" } }, ["overrides", "voice_profile_id"], "value_error"],
    [{ overrides: { first_message: "x".repeat(10_001) } }, ["overrides", "first_message"], "string_too_long"],
    [
      { overrides: { first_message: "a", first_message_prompt: "b" } },
      ["overrides", "first_message_prompt"],
      "value_error",
    ],
    [{ overrides: { system_prompt: "x".repeat(100_001) } }, ["overrides", "system_prompt"], "string_too_long"],
    [{ overrides: [] }, ["overrides"], "dict_type"],
    [{ dynamic_variables: { "1a": "x" } }, ["dynamic_variables", "1a"], "string_pattern_mismatch"],
    [{ dynamic_variables: { a: "x".repeat(1001) } }, ["dynamic_variables", "a"], "string_too_long"],
    [{ dynamic_variables: { a: null } }, ["dynamic_variables", "a"], "union_type"],
    [{ dynamic_variables: { a: [] } }, ["dynamic_variables", "a"], "union_type"],
    [
      { dynamic_variables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, ""])) },
      ["dynamic_variables"],
      "too_long",
    ],
    [{ metadata: [] }, ["metadata"], "dict_type"],
    [{ metadata: { a: "\u0000" } }, ["metadata"], "value_error"],
    [{ metadata: { "\ud800": 1 } }, ["metadata"], "value_error"],
    [{ metadata: { a: "x".repeat(65_536) } }, ["metadata"], "value_error"],
    [{ llm_extra_body: 1 }, ["llm_extra_body"], "dict_type"],
  ])("refuse %j", async (change, loc, type) => {
    const { status, json, text } = await begin(change);
    expect([status, (json as unknown as unknown[])[0]]).toEqual([
      422,
      { type, loc: ["body", ...loc], msg: expect.any(String) as string, ctx: expect.any(Object) as object },
    ]);
    expect(text).not.toContain("Earth");
  });

  it("refuse a system prompt of more tokens than a configuration may have", async () => {
    const agent = await publishedAgent(team, {}, { overrides_allowed: ["system_prompt"] });
    const prompt = (words: number) => ({ agent_id: agent, overrides: { system_prompt: "word ".repeat(words) } });
    expect(await team.ask("POST", SESSIONS, prompt(5000))).toMatchObject({
      status: 422,
      json: [{ type: "too_many_tokens", loc: ["body", "overrides", "system_prompt"] }],
    });
    expect((await team.ask("POST", SESSIONS, prompt(3500))).status).toBe(201);
  });

  it("take null for what is absent, and any text for the browser's time zone", async () => {
    const names = ["name", "timezone", "overrides", "dynamic_variables", "metadata", "record_audio", "end_user_id"];
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect((await begin({ ...nulls, world_context: null, client_timezone: "nowhere\u0000" })).status).toBe(201);
    expect((await begin({ metadata: { text: "\\u0000 and \\ud800" }, dynamic_variables: {} })).status).toBe(201);
  });

  it("are refused without credit for the longest that they may last, and leave nothing", async () => {
    const poor = await platform.addTeam(HELD - 1);
    const agent = await publishedAgent(poor);
    const [started, made] = [platform.runtime.started.length, platform.roomServer.rooms.size];
    expect(await poor.ask("POST", SESSIONS, { agent_id: agent })).toMatchObject({
      status: 402,
      json: { message: "Out of API credit" },
    });
    expect(await platform.balances(poor)).toEqual({ credit: HELD - 1, held: 0, spent: 0 });
    expect((await poor.ask("GET", `${SESSIONS}?status=pending,failed`)).json["sessions"]).toEqual([]);
    expect([platform.runtime.started.length, platform.roomServer.rooms.size]).toEqual([started, made]);
  });

  it("leave nothing where the room server is away, or no runtime takes them", async () => {
    const own = await platform.addTeam(1_000_000);
    const agent = await publishedAgent(own);
    const nothing = async () => {
      expect(await platform.balances(own)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
      expect((await own.ask("GET", `${SESSIONS}?status=pending,failed`)).json["sessions"]).toEqual([]);
    };
    platform.roomServer.failsWith = 500;
    expect(await own.ask("POST", SESSIONS, { agent_id: agent })).toMatchObject({
      status: 502,
      json: { message: "Agent gateway is unreachable" },
    });
    platform.roomServer.failsWith = null;
    await nothing();
    const made = platform.roomServer.rooms.size;
    platform.runtime.isFull = true;
    const refused = await own.ask("POST", SESSIONS, { agent_id: agent });
    platform.runtime.isFull = false;
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(refused.json["message"]).toBe("No agent runtime has room for another conversation");
    await nothing();
    expect(platform.roomServer.rooms.size).toBe(made);
    // The runtime that has it already lets go of it.
    const signing = vi
      .spyOn(platform.rooms, "sign")
      .mockRejectedValueOnce(new ServiceError("agent_gateway_unreachable"));
    onTestFinished(() => signing.mockRestore());
    expect((await own.ask("POST", SESSIONS, { agent_id: agent })).status).toBe(502);
    const taken = platform.runtime.started.at(-1)?.plan.sessionId;
    expect(platform.runtime.ended.at(-1)).toEqual({ sessionId: taken, reason: "requested" });
    await nothing();
    expect(platform.roomServer.rooms.size).toBe(made);
  });

  it.each<[string, ServedModel[], LifecycleState, string]>([
    ["no recognizer", [model("s2.1-pro", "speak")], "ready", "No worker serves the model transcribe-1 right now"],
    ["no voice", [model("asr", "transcribe")], "ready", "No worker serves the model s2.1-pro right now"],
    [
      "no recognizer of the language",
      [model("asr", "transcribe", ["en"]), model("s2.1-pro", "speak")],
      "ready",
      "No loaded recognizer knows the language de of this conversation",
    ],
    [
      "no voice of the language",
      [model("asr", "transcribe"), model("s2.1-pro", "speak", ["en"])],
      "ready",
      "No loaded voice knows the language de of this conversation",
    ],
    ["a draining worker alone", everySpeech, "draining", "No worker serves the model transcribe-1 right now"],
  ])("are refused at once where there is %s, and leave nothing", async (_, models, state, message) => {
    const own = await platform.addTeam(1_000_000);
    const agent = await publishedAgent(own, { voice: { speaking_language: "de" } });
    const [started, made] = [platform.runtime.started.length, platform.roomServer.rooms.size];
    platform.worker.serve(models, state);
    onTestFinished(() => platform.worker.serve(everySpeech));
    const refused = await refusal(() => own.ask("POST", SESSIONS, { agent_id: agent }));
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" }, json: { message } });
    const accepted = platform.runtime.started.length - started;
    expect(platform.roomServer.rooms.size - made).toBe(accepted);
    expect((await platform.balances(own)).held).toBe(accepted * 300_000);
    platform.worker.serve(everySpeech);
    await until(async () => (await own.ask("POST", SESSIONS, { agent_id: agent })).status === 201, {
      withinMs: 15_000,
      what: "the service to know the worker",
    });
  });

  /** The first answer that is no 201: the service hears of a change a moment later. */
  async function refusal<T extends { status: number }>(begin: () => Promise<T>): Promise<T> {
    let answer = await begin();
    await until(
      async () => {
        if (answer.status === 201) answer = await begin();
        return answer.status !== 201;
      },
      { withinMs: 15_000, what: "a refusal" },
    );
    return answer;
  }

  it("are for keys with the scope, of the agent's team", async () => {
    const other = await platform.addTeam();
    const sessionId = await createSession(team, agentId);
    const unlike = await other.ask("POST", SESSIONS, { agent_id: agentId });
    expect(unlike).toMatchObject({
      status: 404,
      text: (await other.ask("POST", SESSIONS, { agent_id: missing })).text,
    });
    for (const [method, path] of [
      ["GET", `${SESSIONS}/${sessionId}`],
      ["POST", `${SESSIONS}/${sessionId}/end`],
      ["GET", `${SESSIONS}/${missing}`],
      ["GET", `${SESSIONS}/%00`],
    ] as const)
      expect([path, (await other.ask(method, path)).status]).toEqual([path, 404]);
    expect((await other.ask("GET", `${SESSIONS}?status=pending`)).json["sessions"]).toEqual([]);
    const speech = clientOf(platform.fixture, { ...team.principal, scopes: ["speech"] });
    expect((await speech("POST", SESSIONS, { agent_id: agentId })).status).toBe(403);
    expect((await clientOf(platform.fixture, null)("GET", SESSIONS)).status).toBe(401);
    await team.ask("PATCH", `/v1/agent/agents/${agentId}`, { status: "archived" });
    expect(await begin()).toMatchObject({ status: 409, json: { message: "Agent is archived" } });
    await team.ask("PATCH", `/v1/agent/agents/${agentId}`, { status: "active" });
  });
});

describe("without a room server", () => {
  it("sessions cannot begin", async () => {
    const { startTeams } = await import("../agents/client.js");
    const { fixture, team } = await startTeams("pglite");
    const agent = await publishedAgent(team);
    expect(await team.ask("POST", SESSIONS, { agent_id: agent })).toMatchObject({
      status: 502,
      json: { message: "Agent gateway is unreachable" },
    });
    await fixture.stop();
  });
});
