import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { newIdentifier } from "#common/identifier";
import { verifyWebhook } from "#common/webhooks/signature";
import type { PhoneLine, PhoneLines } from "#control-plane/calls/lines";
import { phoneCalls } from "#control-plane/calls/tables";
import { phoneGateway, type PhoneRow } from "#control-plane/phone/tables";
import { agentSessions } from "#control-plane/sessions/tables";
import { webhookEvents } from "#control-plane/webhooks/tables";
import { createAgent, type TeamClient } from "../agents/client.js";
import { until } from "../harness/processes.js";
import { hasStatus, publishedAgent, type SessionPlatform, sessionWhen, startPlatform } from "../sessions/platform.js";
import { insertNumber } from "./numbers.js";

const CALLER = "+4915112345678";
const MINUTE = 10_000;

/** Null for an endpoint that hangs. */
type Answer = { status: number; body: string } | null;

/** Stands in for the rooms that LiveKit SIP makes. */
interface TestLines extends PhoneLines {
  inRooms: Map<string, PhoneLine>;
  hungUp: string[];
  /** How often rooms were asked for. */
  looks: number;
  /** Rooms that nobody finds who asks for all. */
  hidden: Set<string>;
}

function testLines(): TestLines {
  const lines: TestLines = {
    ...{ inRooms: new Map(), hungUp: [], looks: 0, hidden: new Set() },
    readEvent: async (body, token) => (token === "signed" ? { room: body } : null),
    rooms: async () => {
      lines.looks++;
      return [...lines.inRooms.keys()].filter((room) => !lines.hidden.has(room));
    },
    lineOf: async (room) => lines.inRooms.get(room) ?? null,
    hangUp: async (room) => {
      lines.inRooms.delete(room);
      lines.hungUp.push(room);
    },
  };
  return lines;
}

describe("calls that come in", () => {
  let lines: TestLines;
  let platform: SessionPlatform;
  let endpoint: Server;
  let team: TeamClient;
  /** What `conversation_init` was asked, and what it answers at each path. */
  let asked: { body: string; signature: string | undefined }[];
  let answer: Record<string, Answer>;

  beforeAll(async () => {
    endpoint = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const signature = request.headers["x-fish-webhook-signature"];
      asked.push({ body: Buffer.concat(chunks).toString(), signature: signature?.toString() });
      const given = answer[request.url ?? ""] ?? null;
      if (given !== null) response.writeHead(given.status).end(given.body);
    });
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
    lines = testLines();
    platform = await startPlatform("pglite", { lines, allow: [`127.0.0.1:${portOf(endpoint)}`] });
    await platform.fixture.db.update(phoneGateway).set({ inUse: true });
  });
  afterAll(async () => {
    await platform.stop();
    endpoint.closeAllConnections();
    endpoint.close();
  });
  beforeEach(async () => {
    [asked, answer] = [[], {}];
    team = await platform.addTeam(1_000_000);
  });

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const agentWith = (config: Record<string, unknown> = {}): Promise<string> =>
    publishedAgent(team, {
      webhooks: { post_call: [{ url: "https://93.184.216.34/hook" }] },
      analysis: { summary: { enabled: false } },
      ...config,
    });
  /** Somebody calls a number; gives the room. */
  const ring = (number: Pick<PhoneRow, "id" | "phoneNumber">): string => {
    const room = `phone-${number.id}-_${CALLER}_${newIdentifier().slice(0, 8)}`;
    lines.inRooms.set(room, {
      ...{ room, phoneNumberId: number.id, identity: `sip_${CALLER}` },
      ...{ callerNumber: CALLER, dialedNumber: number.phoneNumber },
    });
    onTestFinished(() => void lines.inRooms.delete(room));
    return room;
  };
  const started = (room: string) => platform.runtime.started.find(({ plan }) => plan.room.name === room);
  const takenBy = async (room: string) => {
    await until(() => started(room) !== undefined, { withinMs: 15_000, what: "a runtime" });
    const start = started(room);
    if (start === undefined) throw new Error("no runtime");
    return start;
  };
  const sessionsOf = () =>
    platform.fixture.db.select().from(agentSessions).where(eq(agentSessions.teamId, team.principal.teamId));
  const looked = async (): Promise<void> => {
    const { looks } = lines;
    await until(() => lines.looks > looks + 1, { withinMs: 15_000, what: "two looks" });
  };

  it("are sessions of the number's agent, in the room that LiveKit SIP made, charged by the minute", async () => {
    const number = await insertNumber(platform.fixture.db, team, { agentId: await agentWith() });
    const room = ring(number);
    const { plan } = await takenBy(room);
    expect(plan).toMatchObject({
      call: { callerNumber: CALLER, dialedNumber: number.phoneNumber, dial: null },
      room: { name: room, callerIdentity: `sip_${CALLER}` },
      system: { channel: "phone_inbound", caller_number: CALLER, dialed_number: number.phoneNumber },
    });
    expect(asked).toEqual([]);
    await looked();
    expect(await sessionsOf()).toHaveLength(1);
    const { sessionId } = plan;
    const [call] = await platform.fixture.db.select().from(phoneCalls).where(eq(phoneCalls.sessionId, sessionId));
    expect(call).toMatchObject({ direction: "inbound", phoneNumberId: number.id });
    const at = new Date(Date.now() - 30_000);
    platform.runtime.write(sessionId, { type: "caller-joined" }, at);
    platform.runtime.write(sessionId, { type: "ended", reason: "caller_left", detail: null });
    expect(await sessionWhen(team, sessionId, hasStatus("completed"), "the end")).toMatchObject({
      ...{ source: "phone", direction: "inbound", dial_status: null, answered_by: null },
      ...{ caller_number: CALLER, dialed_number: number.phoneNumber },
    });
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000 - MINUTE, held: 0, spent: MINUTE });
    const { event, position, sessionId: of } = webhookEvents;
    const events = platform.fixture.db.select({ event }).from(webhookEvents);
    expect(await events.where(eq(of, sessionId)).orderBy(position)).toEqual([
      { event: "call.ended" },
      { event: "call.analyzed" },
    ]);
    const listed = await team.ask("GET", `/v1/agent/sessions?direction=inbound&caller_number=${CALLER.slice(1)}`);
    expect(listed.json["sessions"]).toMatchObject([{ session_id: sessionId }]);
  });

  it("ask conversation_init for variables first, signed", async () => {
    answer["/init"] = {
      status: 200,
      body: JSON.stringify({ dynamic_variables: { name: "Ann", orders: 3 }, more: true }),
    };
    const init = { url: `http://127.0.0.1:${portOf(endpoint)}/init`, secret: "topsecret" };
    const agentId = await agentWith({ webhooks: { conversation_init: init } });
    const number = await insertNumber(platform.fixture.db, team, { agentId });
    const { plan } = await takenBy(ring(number));
    expect(plan.dynamicVariables).toEqual({ name: "Ann", orders: "3" });
    expect(asked).toHaveLength(1);
    const [{ body, signature }] = asked as [{ body: string; signature: string }];
    expect(JSON.parse(body)).toEqual({
      ...{ event: "conversation_init", agent_id: agentId, agent_name: "Ann", direction: "inbound" },
      ...{ phone_number_id: number.id, caller_number: CALLER, dialed_number: number.phoneNumber },
      config_hash: expect.stringMatching(/^sha256:/),
    });
    expect(verifyWebhook("topsecret", signature, Buffer.from(body), Math.floor(Date.now() / 1000))).toBe("valid");
  });

  it("go on without variables where conversation_init refuses, hangs, or answers what is none", async () => {
    team = await platform.addTeam(10_000_000);
    const answers: Answer[] = [
      { status: 500, body: '{"dynamic_variables": {"name": "Ann"}}' },
      { status: 200, body: "<html>" },
      { status: 200, body: '{"dynamic_variables": {"a b": [1]}}' },
      { status: 200, body: `{"x": "${"x".repeat(70_000)}"}` },
      null,
    ];
    const rooms = await Promise.all(
      answers.map(async (given, index) => {
        const path = `/init/${index}`;
        answer[path] = given;
        const init = { url: `http://127.0.0.1:${portOf(endpoint)}${path}`, timeout_seconds: 1 };
        const agentId = await agentWith({ webhooks: { conversation_init: init } });
        return ring(await insertNumber(platform.fixture.db, team, { agentId }));
      }),
    );
    const plans = await Promise.all(rooms.map(async (room) => (await takenBy(room)).plan.dynamicVariables));
    expect([plans, asked.length]).toEqual([answers.map(() => ({})), answers.length]);
  });

  it("are hung up on where nobody answers, and left alone where the number is another installation's", async () => {
    const { db } = platform.fixture;
    const rooms = [
      ring(await insertNumber(db, team)),
      ring(await insertNumber(db, team, { agentId: await createAgent(team) })),
      ring(await insertNumber(db, team, { agentId: await agentWith(), status: "error" })),
    ];
    const strangers = ring({ id: newIdentifier(), phoneNumber: "+4930999999" });
    await until(() => rooms.every((room) => lines.hungUp.includes(room)), { withinMs: 15_000, what: "the end" });
    await looked();
    expect(lines.hungUp).not.toContain(strangers);
    expect(await sessionsOf()).toEqual([]);
  });

  it("are refused with a record that says why where the team has no credit", async () => {
    team = await platform.addTeam(1000);
    const room = ring(await insertNumber(platform.fixture.db, team, { agentId: await agentWith() }));
    await until(() => lines.hungUp.includes(room), { withinMs: 15_000, what: "the end" });
    const [row] = await sessionsOf();
    expect(row).toMatchObject({
      ...{ status: "failed", endedReason: "refused", endedDetail: "Out of API credit", heldMicros: 0 },
      ...{ startedAt: null, callerNumber: CALLER },
    });
    expect(await platform.balances(team)).toEqual({ credit: 1000, held: 0, spent: 0 });
    expect((await team.ask("GET", `/v1/agent/sessions/${row?.id}`)).json).toMatchObject({ ended_reason: "refused" });
  });

  it("ring while no runtime has room, and are hung up on when they have rung long enough", async () => {
    platform.runtime.isFull = true;
    const room = ring(await insertNumber(platform.fixture.db, team, { agentId: await agentWith() }));
    await until(async () => (await sessionsOf()).length === 1, { withinMs: 15_000, what: "a session" });
    platform.runtime.isFull = false;
    const { plan } = await takenBy(room);
    const { db } = platform.fixture;
    const where = eq(agentSessions.id, plan.sessionId);
    await db
      .update(agentSessions)
      .set({ joinBy: new Date(Date.now() - 60_000) })
      .where(where);
    expect(await sessionWhen(team, plan.sessionId, hasStatus("failed"), "the end")).toMatchObject({
      ended_reason: "never_joined",
    });
    // Who is in the room ends it.
    expect(platform.runtime.ended).toContainEqual({ sessionId: plan.sessionId, reason: "never_joined" });
    expect(await platform.balances(team)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("are taken as soon as LiveKit tells of them, and nobody else is believed", async () => {
    const number = await insertNumber(platform.fixture.db, team, { agentId: await agentWith() });
    const tell = (room: string, headers: Record<string, string>) =>
      platform.fixture.call(null, "POST", "/livekit/events", { headers, body: Buffer.from(room) });
    for (const headers of [{}, { authorization: "forged" }] as Record<string, string>[])
      expect((await tell("phone-1", headers)).status).toBe(401);
    const room = ring(number);
    lines.hidden.add(room);
    const line = lines.inRooms.get(room);
    // LiveKit tells of a participant before it has the attributes that say whose call it is.
    lines.inRooms.delete(room);
    expect((await tell(room, { authorization: "signed" })).status).toBe(204);
    if (line !== undefined) lines.inRooms.set(room, line);
    await tell(room, { authorization: "signed" });
    await takenBy(room);
    expect(await sessionsOf()).toHaveLength(1);
  });
});
