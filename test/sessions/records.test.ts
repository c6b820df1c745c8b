import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchKnowledgeReply } from "#protocol/bus/conversation";
import { conversationStream, conversationSubject, type EndReason } from "#protocol/bus/conversation-log";
import { controlSubjects, type Reply, type UsageRecord, usageSubject } from "#protocol/bus/control";
import { newIdentifier } from "#common/identifier";
import type { UsageReport } from "#protocol/usage";
import type { SessionContext } from "#control-plane/sessions/context";
import { sweepSessions } from "#control-plane/sessions/sweep";
import { agentSessions } from "#control-plane/sessions/tables";
import { purgeLogs } from "#control-plane/sessions/purge";
import type { WebhookPayload } from "#protocol/webhooks";
import { silentLog } from "../control-plane/databases.js";
import { until } from "../harness/processes.js";
import { form } from "../knowledge/form.js";
import { isSigned, type Receiver, startReceiver } from "../webhooks/receivers.js";
import type { TeamClient } from "../agents/client.js";
import { describeRecordings } from "./describe-recordings.js";
import {
  createSession,
  hasStatus,
  publishedAgent,
  type SessionPlatform,
  sessionWhen,
  startPlatform,
} from "./platform.js";

const SESSIONS = "/v1/agent/sessions";
const DAY_MS = 86_400_000;
const utcDay = (later: number): string => new Date(Date.now() + later * DAY_MS).toISOString().slice(0, 10);
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds));

describe("what happens in a session", () => {
  let receiver: Receiver;
  let platform: SessionPlatform;
  let team: TeamClient;

  beforeAll(async () => {
    receiver = await startReceiver();
    platform = await startPlatform("pglite", { allow: [receiver.host] });
    team = await platform.addTeam();
  });
  afterAll(async () => {
    await platform?.stop();
    await receiver?.close();
  });

  const withWebhook = (path: string): Promise<string> =>
    publishedAgent(team, { webhooks: { post_call: [{ url: receiver.url(path), secret: "topsecret" }] } });
  const eventsAt = (path: string): WebhookPayload[] => receiver.at(path).map(({ payload }) => payload);

  it("is told to the webhooks of the version that it ran, signed, once", async () => {
    const agent = await withWebhook("/old");
    const sessionId = await createSession(team, agent, { end_user_id: "u-1", metadata: { order: 7 } });
    await team.ask("PATCH", `/v1/agent/agents/${agent}/config`, {
      webhooks: { post_call: [{ url: receiver.url("/new") }] },
    });
    await team.ask("POST", `/v1/agent/agents/${agent}/publish`);
    platform.runtime.write(sessionId, { type: "caller-joined" }, at(0));
    platform.runtime.write(sessionId, { type: "ended", reason: "agent_hung_up", detail: null }, at(42));
    await until(() => eventsAt("/old").length === 1, { withinMs: 15_000, what: "the event" });
    expect(eventsAt("/old")[0]).toMatchObject({
      event: "call.ended",
      ended_reason: "hangup",
      session: {
        id: sessionId,
        agent_id: agent,
        source: "api_key",
        status: "completed",
        direction: "inbound",
        conversation_started_at: at(0).toISOString(),
        conversation_ended_at: at(42).toISOString(),
        duration_seconds: 42,
        end_user_id: "u-1",
        metadata: { order: 7 },
        agent_name: "Ann",
      },
    });
    expect(receiver.at("/old").every((receipt) => isSigned(receipt, "topsecret"))).toBe(true);
    expect(eventsAt("/new")).toEqual([]);
  });

  it("is told as an error where it ended by one, and not at all for a preview or a session nobody joined", async () => {
    const agent = await withWebhook("/errors");
    const preview = await team.ask("POST", `${SESSIONS}?preview=true`, { agent_id: agent });
    const [previewed, unjoined, broken] = [
      String(preview.json["session_id"]),
      await createSession(team, agent),
      await createSession(team, agent),
    ];
    const { runtime } = platform;
    runtime.write(previewed, { type: "caller-joined" }, at(0));
    runtime.write(previewed, { type: "ended", reason: "caller_left", detail: null }, at(1));
    runtime.write(unjoined, { type: "ended", reason: "never_joined", detail: null }, at(1));
    runtime.write(broken, { type: "caller-joined" }, at(0));
    runtime.write(broken, { type: "ended", reason: "llm_endpoint_failure", detail: "503" }, at(1));
    await sessionWhen(team, previewed, hasStatus("completed"), "the end of the preview");
    await sessionWhen(team, unjoined, hasStatus("failed"), "the end of the other");
    // The last of the three to end: were there events of the others, they would have come before.
    await until(() => eventsAt("/errors").length > 0, { withinMs: 15_000, what: "the event" });
    expect(eventsAt("/errors")).toMatchObject([
      { event: "call.ended", ended_reason: "error", session: { id: broken, status: "failed" } },
    ]);
  });

  it("is the same whatever order its records come in, and however often", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(own, await publishedAgent(own));
    const { runtime } = platform;
    const reply = { replyId: "r", turnId: 1 };
    for (let time = 0; time < 2; time++) {
      runtime.write(sessionId, { type: "reply-ended", ...reply, text: "Hello.", isInterrupted: false }, at(5));
      runtime.write(sessionId, { type: "reply-started", ...reply, responder: "m" }, at(3));
      runtime.write(sessionId, { type: "ended", reason: "silence", detail: null }, at(61));
      runtime.write(sessionId, { type: "caller-joined" }, at(1));
    }
    const detail = await sessionWhen(own, sessionId, hasStatus("completed"), "the end of the session");
    expect(detail).toMatchObject({ duration_seconds: 60, ended_reason: "silence" });
    expect(await platform.balances(own)).toEqual({ credit: 990_000, held: 0, spent: 10_000 });
    await until(
      async () => JSON.stringify((await own.ask("GET", `${SESSIONS}/${sessionId}`)).json["items"]).includes("Hello."),
      { withinMs: 5000, what: "the reply" },
    );
    expect((await own.ask("GET", `${SESSIONS}/${sessionId}`)).json["items"]).toEqual([
      { type: "message", role: "assistant", content: "Hello.", turn_id: 1, created_at: at(5).toISOString() },
    ]);
  });

  it("ends a while later where its beginning never comes, or as its log says where that alone has it", async () => {
    const own = await platform.addTeam(1_000_000);
    const agent = await withWebhook("/begun");
    const begun = await createSession(team, agent);
    platform.runtime.write(begun, { type: "caller-joined" }, at(1));
    await sessionWhen(team, begun, hasStatus("active"), "the beginning");
    // As if the instance that had taken the record had died over it.
    const { db } = platform.fixture;
    await db.update(agentSessions).set({ status: "pending", startedAt: null }).where(eq(agentSessions.id, begun));
    platform.runtime.write(begun, { type: "ended", reason: "caller_left", detail: null }, at(31));
    const sessionId = await createSession(own, await publishedAgent(own));
    platform.runtime.write(sessionId, { type: "ended", reason: "requested", detail: null }, at(1));
    const detail = await sessionWhen(own, sessionId, hasStatus("completed"), "the end of the session");
    expect(detail).toMatchObject({ duration_seconds: null, ended_reason: "requested", analysis: null });
    const found = await sessionWhen(team, begun, hasStatus("completed"), "the end of the session that had begun");
    expect(found).toMatchObject({ duration_seconds: 30, started_at: at(1).toISOString() });
    await until(() => eventsAt("/begun").length === 1, { withinMs: 15_000, what: "the event" });
    expect(await platform.balances(own)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("is none that nobody joined where its log alone says who joined it", async () => {
    const [joined, unjoined] = [
      await createSession(team, await publishedAgent(team)),
      await createSession(team, await publishedAgent(team)),
    ];
    platform.runtime.write(joined, { type: "caller-joined" }, at(1));
    await sessionWhen(team, joined, hasStatus("active"), "the beginning");
    const { db, bus } = platform.fixture;
    await db.update(agentSessions).set({ status: "pending", startedAt: null }).where(eq(agentSessions.id, joined));
    const runtimes = { end: () => Promise.resolve(false), isHeld: () => false };
    const later = (): Date => new Date(Date.now() + 120_000);
    const context = { db, bus, runtimes, log: silentLog, rooms: null, now: later } as unknown as SessionContext;
    expect(await sweepSessions(context, () => false)).toEqual([]);
    const shown = await sessionWhen(team, joined, hasStatus("active"), "the beginning again");
    expect(shown["started_at"]).toBe(at(1).toISOString());
    await sessionWhen(team, unjoined, hasStatus("failed"), "the end of the other");
  });

  it("stands in the records alone a minute after its end", async () => {
    const { bus, db } = platform.fixture;
    const agent = await publishedAgent(team);
    const [over, open] = [await createSession(team, agent), await createSession(team, agent)];
    for (const sessionId of [over, open]) platform.runtime.write(sessionId, { type: "caller-joined" });
    platform.runtime.write(over, { type: "caller-said", turnId: 1, text: "My number is 555." });
    platform.runtime.write(over, { type: "ended", reason: "caller_left", detail: null });
    await sessionWhen(team, over, hasStatus("completed"), "the end of the session");
    await sessionWhen(team, open, hasStatus("active"), "the other session");
    const log = bus.subjectLog(conversationStream);
    const stored = async (sessionId: string): Promise<number> =>
      (await log.read(conversationSubject(sessionId))).length;
    const { rooms, roomServer } = platform;
    const purge = (seconds: number): Promise<void> =>
      purgeLogs({ db, bus, rooms, log: silentLog, now: () => new Date(Date.now() + seconds * 1000) });
    const hasRoom = (sessionId: string): boolean =>
      [...roomServer.rooms.keys()].some((name) => name.includes(sessionId));
    await purge(50);
    // Its runtime deletes the room, which has not done so here.
    expect([await stored(over), await stored(open), hasRoom(over), hasRoom(open)]).toEqual([3, 1, true, true]);
    await purge(61);
    expect([await stored(over), await stored(open), hasRoom(over), hasRoom(open)]).toEqual([0, 1, false, true]);
    const detail = (await team.ask("GET", `${SESSIONS}/${over}`)).json;
    expect(detail["items"]).toMatchObject([{ role: "user", content: "My number is 555." }]);
  });

  it("is usage of its team, by agent, once however often it is published, and as long as it is charged", async () => {
    const { bus, db } = platform.fixture;
    const own = await platform.addTeam(1_000_000);
    const agent = await publishedAgent(own, { conversation: { max_duration_seconds: 60 } });
    const { runtime } = platform;
    const preview = (await own.ask("POST", `${SESSIONS}?preview=true`, { agent_id: agent })).json["session_id"];
    const [long, failed, unjoined] = await Promise.all([1, 2, 3].map(() => createSession(own, agent)));
    const lasts = (sessionId = "", seconds = 0, reason: EndReason = "caller_left"): void => {
      const joined = new Date();
      runtime.write(sessionId, { type: "caller-joined" }, joined);
      const ended = new Date(joined.getTime() + seconds * 1000);
      runtime.write(sessionId, { type: "ended", reason, detail: null }, ended);
    };
    lasts(long, 65);
    lasts(failed, 30, "llm_endpoint_failure");
    lasts(String(preview), 6);
    runtime.write(unjoined ?? "", { type: "ended", reason: "never_joined", detail: null });
    for (const sessionId of [long, failed, String(preview), unjoined])
      await sessionWhen(own, sessionId ?? "", (json) => json["ended_at"] !== null, "the end of a session");

    const query = `start=${utcDay(-1)}&end=${utcDay(1)}&group_by=agent,model`;
    const read = async (): Promise<unknown> => {
      return (await platform.fixture.callJson(own.principal, "GET", "/v1/usage", { query })).json;
    };
    const booked = {
      data: [
        {
          agent_id: agent,
          model: "conversation",
          requests: 3,
          failed_requests: 1,
          audio_seconds: 0,
          conversation_seconds: 96,
        },
      ],
    };
    expect(await read()).toMatchObject(booked);
    const { credit, held, spent } = await platform.balances(own);
    expect([held, credit + spent]).toEqual([0, 1_000_000]);
    const { cost } = ((await read()) as UsageReport).data[0] ?? {};
    expect(Number(cost) * 1_000_000).toBeCloseTo(spent, 3);

    // As settlement and analytics get it: when it ends, and with the purge of its log.
    const published: UsageRecord[] = [];
    const listening = bus.subscribe<UsageRecord>(usageSubject, (usage) => void published.push(usage));
    await bus.flush();
    const another = await createSession(own, agent);
    lasts(another, 6);
    await sessionWhen(own, another, hasStatus("completed"), "the end of the last session");
    const now = (): Date => new Date(Date.now() + 61_000);
    await purgeLogs({ db, bus, rooms: null, log: silentLog, now });
    const ofLast = (): UsageRecord[] => published.filter(({ usageId }) => usageId === `session:${another}`);
    await until(() => ofLast().length === 2, { withinMs: 15_000, what: "usage of the last session, twice" });
    listening.unsubscribe();
    expect(ofLast()[0]).toEqual(ofLast()[1]);
    expect(ofLast()[0]).toMatchObject({ agentId: agent, model: "conversation", outcome: "completed" });
    // Settlement takes its messages in order: this one comes after them.
    const marker = { ...ofLast()[0], usageId: newIdentifier(), model: "marker", conversationMs: 0 } as UsageRecord;
    bus.publish(usageSubject, marker);
    await until(async () => JSON.stringify(await read()).includes("marker"), { withinMs: 15_000, what: "the marker" });
    const after = (await read()) as UsageReport;
    expect(after.data.find(({ model }) => model === "conversation")).toMatchObject({ requests: 4 });
    expect((await platform.balances(own)).spent).toBeCloseTo(
      Number(after.data.find(({ model }) => model === "conversation")?.cost) * 1_000_000,
      3,
    );
  });

  it("survives records that nobody can have written, and those of sessions that there are not", async () => {
    const sessionId = await createSession(team, await publishedAgent(team));
    const { bus } = platform.fixture;
    const subject = `parley.conversation.${sessionId}`;
    const atEpochMs = Date.now();
    const stamped = { id: "r", atEpochMs, turnId: 1 };
    const call = { ...stamped, callId: "c", name: "n", source: "webhook" };
    const nonsense: unknown[] = [
      ...[{}, null, 7, "caller-joined", [], [{ type: "caller-joined", atEpochMs }], { type: null }, { type: "gone" }],
      ...["yesterday", null, 1e99, Number.NaN, {}].map((time) => ({ type: "caller-joined", atEpochMs: time })),
      { type: "caller-said", atEpochMs: 1e99 },
      ...[7, null, undefined, [], {}].map((text) => ({ ...stamped, type: "caller-said", text })),
      ...["x", 1.5, 1e12, {}].map((turnId) => ({ ...stamped, type: "caller-said", turnId, text: "a" })),
      ...[7, null, {}].map((text) => ({ ...stamped, type: "reply-ended", replyId: "r", text, isInterrupted: false })),
      ...[7, null, undefined].map((input) => ({ ...call, type: "tool-called", input })),
      ...[7, null].map((name) => ({ ...call, type: "tool-called", name, input: "{}" })),
      ...[7, {}].map((output) => ({ ...call, type: "tool-answered", status: "completed", output, error: null })),
      ...[null, 7].map((latency) => ({ ...stamped, type: "turn-latency", latency })),
      { ...stamped, type: "turn-latency", latency: null },
    ];
    for (const record of nonsense) bus.publish(subject, record as object);
    platform.runtime.write("f".repeat(32), { type: "caller-said", turnId: 1, text: "Anybody?" });
    platform.runtime.write(sessionId, { type: "caller-joined" });
    const detail = await sessionWhen(team, sessionId, hasStatus("active"), "the record behind them");
    expect([detail["items"], detail["turn_latencies"]]).toEqual([[], []]);
  });

  it("finds passages of the knowledge that a session pinned", async () => {
    const { contentType, body } = form(["source", "# Hours\n\nWe open at nine.", "hours.md"]);
    const uploaded = await platform.fixture.callJson(team.principal, "POST", "/v1/agent/knowledge-sources", {
      contentType,
      body,
    });
    const sourceId = String((uploaded.json as Record<string, unknown>)["knowledge_source_id"]);
    const search = (change: object) =>
      platform.fixture.bus.request<Reply<SearchKnowledgeReply>>(
        controlSubjects.searchKnowledge,
        {
          teamId: team.principal.teamId,
          sources: [{ sourceId, revisionNumber: 1 }],
          query: "When do you open?",
          limit: 3,
          ...change,
        },
        { timeoutMs: 5000, dependency: "the control plane" },
      );
    expect(await search({})).toMatchObject({
      ok: true,
      value: { passages: [{ sourceId, heading: "Hours", content: expect.stringContaining("nine") as string }] },
    });
    expect(await search({ teamId: "another" })).toEqual({ ok: true, value: { passages: [] } });
    expect(await search({ sources: null })).toMatchObject({ ok: false, error: { code: "validation" } });
  });
});

describe("lists of sessions", () => {
  let platform: SessionPlatform;
  let team: TeamClient;
  const agents: string[] = [];
  const ids: string[] = [];

  beforeAll(async () => {
    platform = await startPlatform("pglite");
    team = await platform.addTeam();
    for (let index = 0; index < 2; index++) agents.push(await publishedAgent(team));
    for (let index = 0; index < 5; index++)
      ids.push(await createSession(team, agents[index % 2] ?? "", { name: `${index}` }));
    for (const id of ids.slice(0, 4)) platform.runtime.write(id, { type: "caller-joined" });
    for (const id of ids.slice(0, 2))
      platform.runtime.write(id, { type: "ended", reason: "caller_left", detail: null });
    platform.runtime.write(ids[2] ?? "", { type: "ended", reason: "error", detail: null });
    for (const [index, status] of ["completed", "completed", "failed", "active"].entries())
      await sessionWhen(team, ids[index] ?? "", hasStatus(status), `session ${index} to be ${status}`);
  });
  afterAll(() => platform?.stop());

  const names = async (query = ""): Promise<string[]> => {
    const { status, json, text } = await team.ask("GET", `${SESSIONS}${query === "" ? "" : `?${query}`}`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return (json["sessions"] as { name: string }[]).map(({ name }) => name);
  };

  it.each<[string, () => string, string[]]>([
    ["newest first, without those nobody has joined", () => "", ["3", "2", "1", "0"]],
    ["by one status", () => "status=pending", ["4"]],
    ["by several", () => "status=active,%20failed", ["3", "2"]],
    ["by agent", () => `agent_id=${agents[0]}`, ["2", "0"]],
    ["by an agent that there is not", () => "agent_id=%00", []],
    ["by direction", () => "direction=outbound", []],
    ["by the other direction", () => "direction=inbound&status=completed", ["1", "0"]],
    ["by a caller's number", () => "caller_number=15550100", []],
    ["by what is no number", () => "caller_number=%00", []],
    ["after a day", () => "created_after=2026-01-01", ["3", "2", "1", "0"]],
    ["after a day to come", () => "created_after=9999-12-31T23:59:59-23:59", []],
    ["before a time without an offset", () => "created_before=2020-01-01T00:00:00", []],
    ["before a time with one", () => "created_before=2999-01-01T00:00:00%2B02:00&status=failed", ["2"]],
    ["before all times", () => "created_before=0000-01-01", []],
  ])("go %s", async (_, query, expected) => {
    expect(await names(query())).toEqual(expected);
  });

  it("come in pages", async () => {
    const first = await team.ask("GET", `${SESSIONS}?page_size=3&include_total=true`);
    expect(first.json).toMatchObject({
      has_more: true,
      total: 4,
      sessions: [{ name: "3" }, { name: "2" }, { name: "1" }],
    });
    const cursor = encodeURIComponent(String(first.json["next_cursor"]));
    expect((await team.ask("GET", `${SESSIONS}?page_size=3&cursor=${cursor}`)).json).toMatchObject({
      has_more: false,
      next_cursor: null,
      sessions: [{ name: "0" }],
    });
    expect((await team.ask("GET", `${SESSIONS}?page=2&page_size=3`)).json).toMatchObject({
      total: 4,
      sessions: [{ name: "0" }],
    });
    expect((await team.ask("GET", `${SESSIONS}?page=1&cursor=${cursor}`)).status).toBe(400);
  });

  it.each([
    ["status=over", "status"],
    ["status=", "status"],
    ["direction=sideways", "direction"],
    ["created_after=yesterday", "created_after"],
    ["created_before=2026-13-01", "created_before"],
    ["page_size=0", "page_size"],
  ])("refuse %s", async (query, name) => {
    const { status, json } = await team.ask("GET", `${SESSIONS}?${query}`);
    const problem = (json as unknown as { loc: string[]; msg: string }[])[0];
    expect([status, problem?.loc]).toEqual([422, ["query", name]]);
    if (name.startsWith("created_")) expect(problem?.msg).toContain("ISO 8601");
  });

  describeRecordings(() => platform);
});
