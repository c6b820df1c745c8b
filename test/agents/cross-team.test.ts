import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { phoneNumbers } from "#control-plane/phone/tables";
import { attachables } from "#control-plane/agent-platform";
import { readBatch } from "#control-plane/agent-tests/run-store";
import { startBatch } from "#control-plane/agent-tests/start-batch";
import { controlRoutes } from "#control-plane/service";
import { enqueueWebhookEvent } from "#control-plane/webhooks/enqueue";
import { newIdentifier } from "#common/identifier";
import type { Principal } from "#protocol/bus/control";
import type { StoredSpan } from "#protocol/bus/span-stream";
import { engines, silentLog } from "../control-plane/databases.js";
import { standInRecognizers, type ServiceFixture, testDoors } from "../control-plane/service.js";
import { insertOverSession } from "../sessions/rows.js";
import { someSession, threeEvents } from "../webhooks/sessions.js";
import { addClient, createAgent, startTeams, type TeamClient } from "./client.js";

/**
 * A part of a route's path that ends in a placeholder, and how a team comes to such a thing. A route with another one
 * fails the test below.
 */
const things: Record<string, (team: TeamClient, fixture: ServiceFixture) => Promise<string>> = {
  "/model/:id": (team, fixture) => createVoice(team.principal, fixture),
  "/v1/agent/agents/:agent_id": (team) => createAgent(team),
  "/v1/agent/tools/:id": async (team) =>
    String((await team.ask("POST", "/v1/agent/tools", { name: "t", url: "https://93.184.216.34/" })).json["tool_id"]),
  "/v1/agent/knowledge-sources/:id": (team, fixture) => createSource(team.principal, fixture),
  "/v1/agent/tests/:test_id": (team) => createTest(team),
  "/v1/agent/agents/:agent_id/tests/:test_id": (team) => createTest(team),
  "/v1/agent/phone-numbers/:phone_number_id": (team, fixture) => createPhone(team, fixture),
  "/v1/agent/sessions/:session_id": (team, fixture) => insertOverSession(fixture.db, team.principal.teamId),
  "/v1/agent/agents/:agent_id/test-batches/:batch_id": async (team, fixture) =>
    (await createRun(team, fixture)).batchId,
  "/v1/agent/test-runs/:run_id": async (team, fixture) => (await createRun(team, fixture)).runId,
  "/v1/keys/:key_id": async (team) => String((await team.ask("POST", "/v1/keys", { name: "k" })).json["key_id"]),
  "/v1/traces/:trace_id": async (team) => createTrace(team.principal.teamId),
  "/v1/agent/webhook-deliveries/:id": (team, fixture) => createDelivery(team, fixture),
};

/**
 * Placeholders that say which part of an owned thing, not whose; and users, of which the wallet shows the caller only.
 */
const parts: Record<string, string> = {
  "/v1/agent/agents/:agent_id/versions/:version_number": "1",
  "/model/:id/samples/:position": "0",
  "/wallet/:userId": "someone-else",
};

async function createTest(team: TeamClient): Promise<string> {
  const { json } = await team.ask("POST", "/v1/agent/tests", {
    name: "t",
    test_type: "next_reply",
    conversation: [{ text: "hi" }],
    expectation: "greets",
  });
  return String(json["test_id"]);
}

async function createRun(team: TeamClient, { db }: ServiceFixture): Promise<{ batchId: string; runId: string }> {
  const [agentId, testId] = [await createAgent(team), await createTest(team)];
  const { teamId } = team.principal;
  const start = { teamId, agentId, body: { test_ids: [testId] }, now: new Date() };
  const batchId = await startBatch(db, attachables, start);
  const { runs } = await readBatch(db, agentId, batchId);
  return { batchId, runId: runs[0]?.id ?? "" };
}

const traces = new Map<string, StoredSpan[]>();
/** A trace with one request. */
function createTrace(teamId: string): string {
  const [traceId, nowMs] = [newIdentifier(), Date.now()];
  const request: StoredSpan = {
    ...{ traceId, spanId: "1".repeat(16), parentSpanId: null, name: "HTTP GET /model", kind: "server" },
    ...{ role: "edge", memberId: "edge-1", startMs: nowMs, endMs: nowMs + 1, failed: false },
    attributes: { "parley.team": teamId },
  };
  traces.set(traceId, [request]);
  return traceId;
}

let digits = 0;
async function createPhone(team: TeamClient, fixture: ServiceFixture): Promise<string> {
  const phoneNumber = `+1415555${String(1000 + digits++)}`;
  const { teamId } = team.principal;
  const [id, at] = [newIdentifier(), new Date()];
  await fixture.db
    .insert(phoneNumbers)
    .values({
      ...{ id, teamId, phoneNumber, provider: "twilio", label: "", agentId: null, status: "error", statusDetail: "x" },
      ...{ createdAt: at, updatedAt: at },
    });
  return id;
}

/** A webhook's delivery that is on its way: nobody listens on that port. */
async function createDelivery(team: TeamClient, fixture: ServiceFixture): Promise<string> {
  const [payload] = threeEvents(someSession());
  if (payload === undefined) throw new Error("no event");
  const event = {
    teamId: team.principal.teamId,
    payload,
    endpoints: [{ url: "http://127.0.0.1:9/", secret: null }],
    isPreview: false,
  };
  const context = { sealer: testDoors().sealer, now: new Date() };
  await fixture.db.transaction((tx) => enqueueWebhookEvent(tx, event, context));
  const { json } = await team.ask("GET", `/v1/agent/webhook-deliveries?session_id=${payload.session.id}`);
  return (json["deliveries"] as { delivery_id: string }[])[0]?.delivery_id ?? "";
}

const boundary = "parley-test";
async function upload(
  principal: Principal,
  fixture: ServiceFixture,
  path: string,
  fields: Record<string, string>,
  file: [field: string, name: string, text: string],
): Promise<Record<string, unknown>> {
  const plain = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const [field, name, text] = file;
  const attached = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--${boundary}--\r\n`;
  const { status, json } = await fixture.callJson(principal, "POST", path, {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: plain.join("") + attached,
  });
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json as Record<string, unknown>;
}

async function createSource(principal: Principal, fixture: ServiceFixture): Promise<string> {
  return String(
    (await upload(principal, fixture, "/v1/agent/knowledge-sources", {}, ["source", "a.md", "# A\n\ntext"]))[
      "knowledge_source_id"
    ],
  );
}

async function createVoice(principal: Principal, fixture: ServiceFixture): Promise<string> {
  const fields = { type: "tts", train_mode: "fast", title: "v", visibility: "private" };
  return String((await upload(principal, fixture, "/model", fields, ["voices", "a.wav", "sound"]))["_id"]);
}

/** Bodies that every schema would refuse, one that is no JSON, and none: none of them may make a difference. */
const bodies: [string, string | undefined, string | undefined][] = [
  ["no body", undefined, undefined],
  ["an empty object", "{}", "application/json"],
  ["a wrong field", '{"no_such_field": 1}', "application/json"],
  ["broken JSON", "{", "application/json"],
  ["a form", `--${boundary}--\r\n`, `multipart/form-data; boundary=${boundary}`],
];

// The answer depends on the router and the queries, which are one code for both databases: the first one is enough.
describe.each(engines.slice(0, 1))("another team's things on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;
  let other: TeamClient;

  beforeAll(async () => {
    ({ fixture, team, other } = await startTeams(engine, {
      readTrace: (traceId) => Promise.resolve(traces.get(traceId) ?? []),
    }));
  });
  afterAll(() => fixture.stop());

  const routes = controlRoutes({
    ...{ bus: { objects: () => null } as never, db: null as never, developmentKey: null },
    ...{ clock: systemClock, log: silentLog, ...standInRecognizers, now: () => new Date(), ...testDoors() },
  }).filter((route) => route.path.includes(":") && route.scope !== null);

  /** The route's path with ids of a team's things, or with ids of nothing. */
  async function fill(path: string, owner: TeamClient | null): Promise<string> {
    const segments: string[] = [];
    const pattern = path.split("/");
    for (const [index, segment] of pattern.entries()) {
      const prefix = pattern.slice(0, index + 1).join("/");
      const make = things[prefix];
      if (!segment.startsWith(":")) segments.push(segment);
      else if (parts[prefix] !== undefined) segments.push(parts[prefix]);
      else if (make === undefined) throw new Error(`add ${prefix} to this test`);
      else segments.push(owner === null ? "0".repeat(32) : await make(owner, fixture));
    }
    return segments.join("/");
  }

  it("has routes of every kind to try", () => {
    expect(routes.length).toBeGreaterThan(30);
    for (const prefix of Object.keys(things)) expect(routes.some(({ path }) => path.startsWith(prefix))).toBe(true);
  });

  it.each(
    routes.map((route) => [route.method, route.path] as const),
  )("answer %s %s as missing ones", async (method, path) => {
    const [theirs, missing] = [await fill(path, other), await fill(path, null)];
    for (const [name, body, contentType] of bodies) {
      const ask = async (address: string) => {
        const {
          status,
          headers,
          body: answered,
        } = await fixture.call(team.principal, method, address, { body, contentType });
        return { status, headers, text: Buffer.from(answered).toString() };
      };
      const [foreign, absent] = [await ask(theirs), await ask(missing)];
      expect([name, foreign]).toEqual([name, absent]);
      expect([name, foreign.status, foreign.text]).toEqual([name, 404, '{"status":404,"message":"Not found"}']);
    }
  });

  it("are shown to their own team", async () => {
    const { status, json } = await other.ask("GET", `/v1/traces/${createTrace(other.principal.teamId)}`);
    expect([status, (json["spans"] as { name: string }[]).map(({ name }) => name)]).toEqual([200, ["HTTP GET /model"]]);
  });

  it("stay as they are, whatever was tried", async () => {
    const [agentId, testId] = [await createAgent(other), await createTest(other)];
    const own = await createAgent(team);
    const phone = await createPhone(other, fixture);
    const tries: [string, string, unknown?][] = [
      ["PATCH", `/v1/agent/agents/${agentId}`, { name: "stolen" }],
      ["PATCH", `/v1/agent/agents/${agentId}/config`, { prompt: { system_prompt: "stolen" } }],
      ["POST", `/v1/agent/agents/${agentId}/publish`],
      ["PUT", `/v1/agent/agents/${agentId}/tests/${testId}`],
      ["PUT", `/v1/agent/agents/${own}/tests/${testId}`],
      ["PATCH", `/v1/agent/phone-numbers/${phone}`, { agent_id: own }],
      ["DELETE", `/v1/agent/phone-numbers/${phone}`],
      ["DELETE", `/v1/agent/tests/${testId}`],
      ["DELETE", `/v1/agent/agents/${agentId}`],
    ];
    const snapshot = async (): Promise<unknown[]> => {
      const paths = [
        `/v1/agent/agents/${agentId}`,
        `/v1/agent/agents/${agentId}/config`,
        `/v1/agent/tests/${testId}`,
        `/v1/agent/phone-numbers/${phone}`,
      ];
      return await Promise.all(paths.map(async (path) => (await other.ask("GET", path)).json));
    };
    const before = await snapshot();
    for (const [method, path, body] of tries)
      expect([path, (await team.ask(method, path, body)).status]).toEqual([path, 404]);
    expect(await snapshot()).toEqual(before);
  });

  it("cannot be referred to, filtered by, or reached by a cursor", async () => {
    const [agentId, own] = [await createAgent(other), await createAgent(team)];
    const tool = await things["/v1/agent/tools/:id"]?.(other, fixture);
    const source = await createSource(other.principal, fixture);
    for (const [section, foreign, absent] of [
      ["tool_ids", { tools: { tool_ids: [tool] } }, { tools: { tool_ids: ["0".repeat(32)] } }],
      [
        "knowledge",
        { knowledge_base: { knowledge_source_ids: [source] } },
        { knowledge_base: { knowledge_source_ids: ["0".repeat(32)] } },
      ],
    ] as const) {
      const [first, second] = [
        await team.ask("PATCH", `/v1/agent/agents/${own}/config`, foreign),
        await team.ask("PATCH", `/v1/agent/agents/${own}/config`, absent),
      ];
      expect([section, first.status, first.text]).toEqual([section, 422, second.text]);
    }
    for (const list of ["tools", "tests", "phone-numbers"]) {
      expect([list, (await team.ask("GET", `/v1/agent/${list}?agent_id=${agentId}`)).status]).toEqual([list, 404]);
      expect([list, (await team.ask("GET", `/v1/agent/${list}?agent_id=%00`)).status]).toEqual([list, 404]);
    }
    const phone = await createPhone(team, fixture);
    expect((await team.ask("PATCH", `/v1/agent/phone-numbers/${phone}`, { agent_id: agentId })).status).toBe(404);
    await createAgent(other);
    const { json } = await other.ask("GET", "/v1/agent/agents?page_size=1");
    expect((await team.ask("GET", `/v1/agent/agents?cursor=${String(json["next_cursor"])}`)).status).toBe(400);
    const stranger = await addClient(fixture);
    expect((await stranger.ask("GET", "/v1/agent/agents?page=1")).json).toMatchObject({ agents: [], total: 0 });
  });
});
