import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "#protocol/limit-table";
import { newIdentifier } from "#common/identifier";
import { claimKey } from "#control-plane/calls/request-keys";
import { phoneCallKeys, phoneCalls } from "#control-plane/calls/tables";
import { auditLedger } from "#control-plane/ledger/audit";
import type { PhoneRow } from "#control-plane/phone/tables";
import { agentSessions } from "#control-plane/sessions/tables";
import { webhookEvents } from "#control-plane/webhooks/tables";
import { createAgent, type TeamClient } from "../agents/client.js";
import { engines } from "../control-plane/databases.js";
import { until } from "../harness/processes.js";
import { hasStatus, publishedAgent, type SessionPlatform, sessionWhen, startPlatform } from "../sessions/platform.js";
import { insertOverSession } from "../sessions/rows.js";
import { type MemorySip, memorySip } from "./memory-sip.js";
import { insertNumber } from "./numbers.js";

const CALLS = "/v1/agent/phone-calls";
const missing = "f".repeat(32);
/** What is held for half an hour at a cent a minute, in micros. */
const HELD = 300_000;
const MINUTE = 10_000;

/** Postgres where it is: there requests really are at once. */
const engine = engines.at(-1) ?? "pglite";

describe(`outbound calls on ${engine}`, () => {
  let sip: MemorySip;
  const settings = { dialsOut: true, allow: [] as string[], deny: ["+4940"], ringMs: 20_000 };
  let platform: SessionPlatform;
  let team: TeamClient;
  let agentId: string;
  let number: PhoneRow;

  beforeAll(async () => {
    sip = memorySip();
    platform = await startPlatform(engine, { phones: { sip, twilio: null }, calls: settings });
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    team = await platform.addTeam(1_000_000);
    agentId = await publishedAgent(team, {
      webhooks: { post_call: [{ url: "https://93.184.216.34/hook" }] },
      analysis: { summary: { enabled: false } },
    });
    number = await insertNumber(platform.fixture.db, team);
  });

  const body = (change: Record<string, unknown> = {}) => ({
    ...{ agent_id: agentId, phone_number_id: number.id, to_number: "+4930987654" },
    ...change,
  });
  const call = (change: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    team.ask("POST", CALLS, body(change), headers);
  const created = async (change: Record<string, unknown> = {}): Promise<string> => {
    const { status, json, text } = await call(change);
    if (status !== 201) throw new Error(text);
    return String(json["session_id"]);
  };
  const started = (sessionId: string) => platform.runtime.started.find(({ plan }) => plan.sessionId === sessionId);
  const eventsOf = async (sessionId: string): Promise<string[]> => {
    const { event, position } = webhookEvents;
    const where = eq(webhookEvents.sessionId, sessionId);
    const rows = await platform.fixture.db.select({ event }).from(webhookEvents).where(where).orderBy(position);
    return rows.map((row) => row.event);
  };
  /** What the first event of a session says. */
  const dialFinishedOf = async (sessionId: string): Promise<unknown> => {
    const { json } = await team.ask("GET", `/v1/agent/webhook-deliveries?session_id=${sessionId}`);
    const deliveries = json["deliveries"] as { delivery_id: string; event: string }[];
    const found = deliveries.find(({ event }) => event === "phone_call.dial_finished");
    const { json: delivery } = await team.ask("GET", `/v1/agent/webhook-deliveries/${found?.delivery_id}`);
    return JSON.parse(String(delivery["body"]));
  };
  const write: SessionPlatform["runtime"]["write"] = (sessionId, record, at) =>
    platform.runtime.write(sessionId, record, at);

  it("are sessions that a runtime is given, with the trunk to dial by and credit held", async () => {
    const { status, json } = await call({ dynamic_variables: { name: "Ann" }, metadata: { order: 7 } });
    expect([status, json]).toEqual([201, { session_id: expect.stringMatching(/^[0-9a-f]{32}$/), status: "queued" }]);
    const sessionId = String(json["session_id"]);
    const [trunk] = [...sip.outbound.values()].filter(({ numbers }) => numbers.includes(number.phoneNumber));
    expect(trunk).toMatchObject({ address: "93.184.216.34:5060" });
    expect(started(sessionId)?.plan).toMatchObject({
      call: {
        ...{ callerNumber: number.phoneNumber, dialedNumber: "+4930987654" },
        dial: { trunkId: trunk?.id, ringMs: 20_000 },
      },
      system: { channel: "phone_outbound", caller_number: number.phoneNumber, dialed_number: "+4930987654" },
      dynamicVariables: { name: "Ann" },
      room: { name: `parley-${sessionId}`, callerIdentity: `caller-${sessionId}` },
    });
    expect(platform.roomServer.rooms.has(`parley-${sessionId}`)).toBe(true);
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000 - HELD, held: HELD, spent: 0 });
    expect((await team.ask("GET", `/v1/agent/sessions/${sessionId}`)).json).toMatchObject({
      ...{ status: "pending", source: "phone", direction: "outbound", dial_status: null, answered_by: null },
      ...{ caller_number: number.phoneNumber, dialed_number: "+4930987654", metadata: { order: 7 } },
    });
  });

  it.each([
    "busy",
    "no_answer",
    "failed",
  ] as const)("that are %s cost nothing, and say so in one event", async (dial) => {
    const sessionId = await created();
    write(sessionId, { type: "dialing" });
    write(sessionId, { type: "dial-resolved", status: dial, detail: null });
    write(sessionId, { type: "ended", reason: "not_answered", detail: null });
    const session = await sessionWhen(team, sessionId, hasStatus("failed"), "the end");
    expect(session).toMatchObject({
      ...{ dial_status: dial, answered_by: null, started_at: null, duration_seconds: null, analysis: null },
      ended_reason: "not_answered",
    });
    expect(await eventsOf(sessionId)).toEqual(["phone_call.dial_finished"]);
    expect(await dialFinishedOf(sessionId)).toMatchObject({
      ...{ event: "phone_call.dial_finished", dial_status: dial, answered_by: null },
      session: { id: sessionId, direction: "outbound", dial_status: dial, source: "phone" },
    });
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
    expect(await auditLedger(platform.fixture.db)).toEqual([]);
  });

  it("that are answered begin then, are charged by the minute that has begun, and tell three events in order", async () => {
    const sessionId = await created();
    const answeredAt = new Date(Date.now() - 61_000);
    write(sessionId, { type: "dialing" }, new Date(answeredAt.getTime() - 5000));
    write(sessionId, { type: "dial-resolved", status: "answered", detail: null }, answeredAt);
    const answered = await sessionWhen(team, sessionId, hasStatus("active"), "an answer");
    expect(answered).toMatchObject({
      ...{ dial_status: "answered", answered_by: null, started_at: answeredAt.toISOString(), ended_at: null },
    });
    // Their event says who answered: it waits for that.
    expect(await eventsOf(sessionId)).toEqual([]);
    write(sessionId, { type: "caller-joined" }, answeredAt);
    write(sessionId, { type: "answerer-detected", answeredBy: "human" });
    await sessionWhen(team, sessionId, ({ answered_by: by }) => by === "human", "who answered");
    expect(await dialFinishedOf(sessionId)).toMatchObject({
      ...{ dial_status: "answered", answered_by: "human" },
      session: { status: "active", answered_by: "human", conversation_ended_at: null, duration_seconds: null },
    });
    write(sessionId, { type: "ended", reason: "caller_left", detail: null }, new Date(answeredAt.getTime() + 60_500));
    expect(await sessionWhen(team, sessionId, hasStatus("completed"), "the end")).toMatchObject({
      duration_seconds: 61,
    });
    expect(await eventsOf(sessionId)).toEqual(["phone_call.dial_finished", "call.ended", "call.analyzed"]);
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000 - 2 * MINUTE, held: 0, spent: 2 * MINUTE });
  });

  it("tell their dial first although the log came in the wrong order, and once although it came twice", async () => {
    const sessionId = await created();
    const at = new Date(Date.now() - 3000);
    write(sessionId, { type: "caller-joined" }, at);
    await sessionWhen(team, sessionId, hasStatus("active"), "a caller");
    for (const _ of [1, 2]) write(sessionId, { type: "dial-resolved", status: "answered", detail: null }, at);
    write(sessionId, { type: "ended", reason: "caller_left", detail: null });
    const session = await sessionWhen(team, sessionId, hasStatus("completed"), "the end");
    // Nobody was listened to for long enough.
    expect(session).toMatchObject({ dial_status: "answered", answered_by: "unknown" });
    expect(await eventsOf(sessionId)).toEqual(["phone_call.dial_finished", "call.ended", "call.analyzed"]);
    expect((await platform.balances(team)).spent).toBe(MINUTE);
  });

  it("are a machine's to the end, however late and often the log says so, and complete where it was hung up on", async () => {
    const sessionId = await created();
    const at = new Date(Date.now() - 3000);
    write(sessionId, { type: "dial-resolved", status: "answered", detail: null }, at);
    for (const _ of [1, 2]) write(sessionId, { type: "answerer-detected", answeredBy: "voicemail" });
    write(sessionId, { type: "answerer-detected", answeredBy: "human" });
    write(sessionId, { type: "ended", reason: "voicemail", detail: null });
    expect(await sessionWhen(team, sessionId, hasStatus("completed"), "the end")).toMatchObject({
      ...{ dial_status: "answered", answered_by: "voicemail", ended_reason: "voicemail" },
    });
    expect(await eventsOf(sessionId)).toEqual(["phone_call.dial_finished", "call.ended", "call.analyzed"]);
    expect(await dialFinishedOf(sessionId)).toMatchObject({ answered_by: "voicemail" });
  });

  it("say at once that they were answered where nobody finds out by whom", async () => {
    agentId = await publishedAgent(team, {
      webhooks: { post_call: [{ url: "https://93.184.216.34/hook" }] },
      analysis: { summary: { enabled: false } },
      conversation: { outbound: { amd_enabled: false } },
    });
    const sessionId = await created();
    write(sessionId, { type: "dial-resolved", status: "answered", detail: null });
    await sessionWhen(team, sessionId, hasStatus("active"), "an answer");
    expect(await dialFinishedOf(sessionId)).toMatchObject({ dial_status: "answered", answered_by: "unknown" });
  });

  it("have failed where nobody saw what became of the dial", async () => {
    const sessionId = await created();
    write(sessionId, { type: "dialing" });
    write(sessionId, { type: "ended", reason: "speech_unavailable", detail: null });
    await until(async () => (await eventsOf(sessionId)).length > 0, { withinMs: 15_000, what: "the end" });
    expect((await team.ask("GET", `/v1/agent/sessions/${sessionId}`)).json).toMatchObject({ dial_status: "failed" });
    expect(await eventsOf(sessionId)).toEqual(["phone_call.dial_finished"]);
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("wait for a runtime that has room, and go over to another one", async () => {
    platform.runtime.isFull = true;
    const sessionId = await created();
    expect(started(sessionId)).toBeUndefined();
    platform.runtime.isFull = false;
    await until(() => started(sessionId) !== undefined, { withinMs: 15_000, what: "a runtime" });
    const { db } = platform.fixture;
    const isHeld = async (): Promise<boolean> => {
      const [row] = await db.select().from(agentSessions).where(eq(agentSessions.id, sessionId));
      return row !== undefined && row.runtimeId !== null;
    };
    await until(isHeld, { withinMs: 5000, what: "the record to name it" });
    platform.runtime.handOver(sessionId, started(sessionId)?.attempt ?? 0);
    const attempts = () => platform.runtime.started.filter(({ plan }) => plan.sessionId === sessionId).length;
    await until(() => attempts() === 2, { withinMs: 15_000, what: "another runtime" });
  });

  it("whose runtime never says anything have failed when their time is over", async () => {
    const sessionId = await created();
    const later = new Date(Date.now() - 60_000);
    const { db } = platform.fixture;
    await db.update(agentSessions).set({ joinBy: later }).where(eq(agentSessions.id, sessionId));
    const session = await sessionWhen(team, sessionId, hasStatus("failed"), "the end");
    expect(session).toMatchObject({ dial_status: "failed", ended_reason: "never_joined" });
  });

  it("are refused, each for its reason", async () => {
    const { db } = platform.fixture;
    const other = await platform.addTeam();
    const unpublished = await createAgent(team);
    const [inactive, inbound, bought, strangers, ownSecond] = [
      await insertNumber(db, team, { status: "error" }),
      await insertNumber(db, team, { sip: { ...number.sip, termination_uri: "" } as PhoneRow["sip"] }),
      await insertNumber(db, team, { provider: "twilio", sip: null }),
      await insertNumber(db, other),
      await insertNumber(db, team),
    ];
    const rows: [object, number, string][] = [
      [{ phone_number_id: missing }, 404, "number_not_found"],
      [{ phone_number_id: "x" }, 404, "number_not_found"],
      [{ phone_number_id: strangers.id }, 404, "number_not_found"],
      [{ agent_id: missing }, 404, "agent_not_found"],
      [{ agent_id: unpublished }, 409, "agent_not_published"],
      [{ phone_number_id: inactive.id }, 422, "number_inactive"],
      [{ phone_number_id: inbound.id }, 422, "number_termination_missing"],
      [{ phone_number_id: bought.id }, 422, "number_provider_unsupported"],
      [{ to_number: "030987654" }, 422, "destination_invalid"],
      [{ to_number: number.phoneNumber }, 422, "self_call_blocked"],
      [{ to_number: ownSecond.phoneNumber }, 422, "self_call_blocked"],
      [{ to_number: "+19005550100" }, 422, "premium_destination_blocked"],
      [{ to_number: "+4940123456" }, 422, "destination_not_allowed"],
    ];
    for (const [change, status, reason] of rows) {
      const { status: answered, json } = await call(change as Record<string, unknown>);
      expect([change, answered, json]).toEqual([change, status, { status, message: expect.any(String), reason }]);
    }
    expect((await call({ overrides: { system_prompt: "Be rude." } })).status).toBe(400);
    expect((await call({ surprise: 1 })).status).toBe(422);
    expect(await db.select().from(phoneCalls).where(eq(phoneCalls.teamId, team.principal.teamId))).toEqual([]);
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("in which others were called are charged for the minutes of both, once", async () => {
    const warm = { label: "Doctor", phone_number: "+4930555001", mode: "warm" };
    const destinations = [warm, { ...warm, label: "Local", phone_number: "+4940555002" }];
    agentId = await publishedAgent(team, { conversation: { transfer_destinations: destinations } });
    const sessionId = await created();
    const [trunk] = [...sip.outbound.values()].filter(({ numbers }) => numbers.includes(number.phoneNumber));
    // The second one may not be called: PARLEY_CALL_DENY has it.
    expect(started(sessionId)?.plan.call?.transfers).toEqual({
      ...{ trunkId: trunk?.id, fromNumber: number.phoneNumber, ringMs: 20_000 },
      destinations: [{ name: "Doctor", phoneNumber: "+4930555001", mode: "warm", confirms: true }],
    });
    expect(await platform.balances(team)).toMatchObject({ held: HELD * 2 });
    const at = (second: number) => new Date(Date.now() + second * 1000);
    write(sessionId, { type: "dial-resolved", status: "answered", detail: null }, at(0));
    write(sessionId, { type: "caller-joined" }, at(0));
    const transfer = { destination: "Doctor", phoneNumber: "+4930555001", mode: "warm" } as const;
    write(sessionId, { type: "transfer-started", transferId: 1, ...transfer }, at(10));
    write(sessionId, { type: "transfer-dialed", transferId: 1, status: "busy", detail: null }, at(12));
    write(sessionId, { type: "transfer-ended", transferId: 1, outcome: "busy", detail: null }, at(12));
    write(sessionId, { type: "transfer-started", transferId: 2, ...transfer }, at(20));
    write(sessionId, { type: "transfer-dialed", transferId: 2, status: "answered", detail: null }, at(25));
    write(sessionId, { type: "transfer-connected" }, at(30));
    write(sessionId, { type: "ended", reason: "transferred", detail: null }, at(90));
    write(sessionId, { type: "transfer-ended", transferId: 2, outcome: "transferred", detail: null }, at(91));
    const session = await sessionWhen(team, sessionId, hasStatus("completed"), "the end");
    expect(session).toMatchObject({
      ended_reason: "transferred",
      transfers: [
        { outcome: "busy", answered_at: null, connected_at: null },
        { outcome: "transferred", answered_at: expect.any(String), connected_at: expect.any(String) },
      ],
    });
    // 90 s of the call are two minutes, 65 s of the leg two more.
    await until(async () => (await platform.balances(team)).held === 0, { withinMs: 5000, what: "the charge" });
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000 - 4 * MINUTE, held: 0, spent: 4 * MINUTE });
  });

  it("need credit for the longest that they may last", async () => {
    const poor = await platform.addTeam(HELD - 1);
    const agent = await publishedAgent(poor);
    const { id } = await insertNumber(platform.fixture.db, poor);
    const asked = { agent_id: agent, phone_number_id: id, to_number: "+4930987654" };
    expect(await poor.ask("POST", CALLS, asked)).toMatchObject({
      status: 402,
      json: { status: 402, message: "Out of API credit", reason: "insufficient_credit" },
    });
    expect(await platform.balances(poor)).toEqual({ credit: HELD - 1, held: 0, spent: 0 });
  });

  it("leave nothing behind where the room server or the SIP service is away", async () => {
    platform.roomServer.failsWith = 500;
    try {
      expect((await call({}, { "idempotency-key": "a" })).status).toBe(502);
    } finally {
      platform.roomServer.failsWith = null;
    }
    sip.isAway = true;
    try {
      expect(await call()).toMatchObject({ status: 502, json: { message: expect.stringContaining("LiveKit SIP") } });
    } finally {
      sip.isAway = false;
    }
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
    // The key was not used up.
    expect((await call({}, { "idempotency-key": "a" })).status).toBe(201);
  });

  it("are made once for one Idempotency-Key, for a day", async () => {
    const key = { "idempotency-key": `order-${newIdentifier()}` };
    const first = await call({ metadata: { a: 1, b: 2 } }, key);
    expect(first.status).toBe(201);
    const again = await call({ metadata: { b: 2, a: 1 } }, key);
    expect([again.status, again.json]).toEqual([201, first.json]);
    expect(await call({ to_number: "+4930987655" }, key)).toMatchObject({
      status: 422,
      json: { reason: "idempotency_key_reuse" },
    });
    // Another team's is another one.
    const own = team;
    team = await platform.addTeam();
    agentId = await publishedAgent(team);
    number = await insertNumber(platform.fixture.db, team);
    expect((await call({}, key)).json["session_id"]).not.toBe(first.json["session_id"]);
    team = own;
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    const { db } = platform.fixture;
    await db.update(phoneCallKeys).set({ createdAt: yesterday }).where(eq(phoneCallKeys.teamId, team.principal.teamId));
    expect((await call({ agent_id: missing }, key)).json["reason"]).toBe("number_not_found");
    for (const wrong of ["", "a b", "ü", "x".repeat(256)])
      expect([wrong, (await call({}, { "idempotency-key": wrong })).status]).toEqual([wrong, 422]);
  });

  it("with the key of a request that is being answered are refused until that is done", async () => {
    const { db } = platform.fixture;
    const held = { teamId: team.principal.teamId, key: "slow", bodyDigest: "" };
    await db.transaction(async (tx) => {
      await claimKey(tx, held);
      // PGlite has one connection, and takes the requests one by one.
      if (engine === "pglite") return;
      expect(await call({}, { "idempotency-key": "slow" })).toMatchObject({
        status: 409,
        json: { reason: "idempotency_key_conflict" },
      });
    });
    expect((await call({}, { "idempotency-key": "slow" })).status).toBe(201);
  });

  it("go where the operator lets them, and nowhere where none may leave", async () => {
    try {
      settings.allow = ["+4989"];
      expect(await call()).toMatchObject({ status: 422, json: { reason: "destination_not_allowed" } });
      expect((await call({ to_number: "+49891234567" })).status).toBe(201);
      settings.dialsOut = false;
      expect(await call()).toMatchObject({ status: 403, json: { reason: "outbound_disabled" } });
    } finally {
      Object.assign(settings, { dialsOut: true, allow: [] });
    }
  });

  it("of twenty requests with one key are one call", async () => {
    const key = { "idempotency-key": "twenty" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call({}, key)));
    const taken = answers.filter(({ status }) => status === 201);
    expect(new Set(taken.map(({ json }) => json["session_id"])).size).toBe(1);
    for (const { status, json } of answers)
      if (status !== 201) expect([status, json["reason"]]).toEqual([409, "idempotency_key_conflict"]);
    expect(await platform.balances(team)).toMatchObject({ held: HELD });
  });

  it("are at most so many at once, and free their place when they are over", async () => {
    team = await platform.addTeam(10_000_000);
    agentId = await publishedAgent(team);
    number = await insertNumber(platform.fixture.db, team);
    const answers = await Promise.all(Array.from({ length: limits.callsAtOnce.most + 3 }, () => call()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const { status, json } of refused)
      expect([status, json["reason"]]).toEqual([429, "concurrency_limit_exceeded"]);
    const sessionId = String(answers.find(({ status }) => status === 201)?.json["session_id"]);
    write(sessionId, { type: "dial-resolved", status: "busy", detail: null });
    write(sessionId, { type: "ended", reason: "not_answered", detail: null });
    await sessionWhen(team, sessionId, hasStatus("failed"), "the end");
    expect((await call()).status).toBe(201);
  });

  it("are at most so many a day, by the calendar of UTC", async () => {
    const { db } = platform.fixture;
    const { teamId } = team.principal;
    const at = (when: Date) => ({ teamId, phoneNumberId: number.id, direction: "outbound" as const, createdAt: when });
    const ids = await Promise.all(Array.from({ length: limits.callsPerDay.most }, () => insertOverSession(db, teamId)));
    const yesterday = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 1);
    await db.insert(phoneCalls).values(ids.map((sessionId) => ({ sessionId, ...at(yesterday) })));
    expect((await call()).status).toBe(201);
    await db.execute(sql`UPDATE phone_calls SET created_at = now() WHERE team_id = ${teamId}`);
    const refused = await call();
    expect([refused.status, refused.json]).toEqual([
      429,
      {
        ...{ status: 429, reason: "daily_limit_exceeded" },
        message: `This team has made its ${limits.callsPerDay.most} calls of today (UTC)`,
      },
    ]);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(86_400);
  });
});
