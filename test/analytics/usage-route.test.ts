import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { openUsageBucket } from "#protocol/bus/open-usage";
import { encodeMsgpack } from "#protocol/msgpack";
import { type ActivityReport, activityReport, type UsageReport, usageReport } from "#protocol/usage";
import { settleUsage } from "#control-plane/accounts/usage";
import { agentSessionItems } from "#control-plane/sessions/tables";
import { type ServiceFixture, startFixture } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { startCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { insertOverSession } from "../sessions/rows.js";
import { hasChdb } from "./chdb-present.js";

const today = new Date().toISOString().slice(0, 10);

describe("GET /v1/usage from the booked records", () => {
  let service: ServiceFixture;
  beforeAll(async () => {
    service = await startFixture("pglite");
  });
  afterAll(() => service.stop());

  const usage = (teamId: string, keyId: string, model: string, change: Partial<UsageRecord> = {}): UsageRecord => ({
    usageId: newIdentifier(),
    teamId,
    keyId,
    route: "/v1/tts",
    model,
    characters: 200,
    audioMs: 2500,
    firstAudioMs: 40,
    totalMs: 300,
    outcome: "completed",
    traceId: "t",
    finishedAtMs: Date.now(),
    ...change,
  });

  it("gives a team its own usage and no other's", async () => {
    const [own, other] = [await addTeam(service.db), await addTeam(service.db)];
    for (const record of [
      usage(own.teamId, "a", "s1"),
      usage(own.teamId, "a", "s1"),
      usage(own.teamId, "b", "s2-pro"),
      usage(other.teamId, "c", "s1"),
    ]) {
      service.bus.publish(usageSubject, record);
    }
    const ask = async (query: string): Promise<UsageReport> => {
      const { status, json } = await service.callJson(own.principal, "GET", "/v1/usage", { query });
      expect(status).toBe(200);
      return usageReport.parse(json);
    };
    await until(async () => (await ask("")).data[0]?.requests === 3, { withinMs: 10_000, what: "usage to be booked" });
    expect(await ask(`start=${today}&end=${today}&group_by=model,key`)).toEqual({
      start: today,
      end: today,
      group_by: ["model", "key"],
      data: [
        {
          model: "s1",
          key_id: "a",
          requests: 2,
          failed_requests: 0,
          partial_requests: 0,
          characters: 400,
          audio_seconds: 5,
          conversation_seconds: 0,
          cost: "0.006",
        },
        {
          model: "s2-pro",
          key_id: "b",
          requests: 1,
          failed_requests: 0,
          partial_requests: 0,
          characters: 200,
          audio_seconds: 2.5,
          conversation_seconds: 0,
          cost: "0.003",
        },
      ],
      truncated: false,
    });
    expect((await ask("start=2020-01-01&end=2020-01-31")).data).toEqual([]);
  });

  it("says of traces that none are stored", async () => {
    const { principal } = await addTeam(service.db);
    expect(await service.callJson(principal, "GET", `/v1/traces/${"a".repeat(32)}`)).toEqual({
      status: 404,
      json: { status: 404, message: expect.stringContaining("PARLEY_SPANS=on") },
    });
    expect(await service.callJson(principal, "GET", "/v1/traces/A")).toMatchObject({ json: { message: "Not found" } });
  });

  it("says what a team does now, and how fast it was answered in the last day", async () => {
    const [own, other] = [await addTeam(service.db), await addTeam(service.db)];
    const ask = async (): Promise<ActivityReport> => {
      const { status, json } = await service.callJson(own.principal, "GET", "/v1/usage/activity");
      expect(status).toBe(200);
      return activityReport.parse(json);
    };
    expect(await ask()).toEqual({ live: { requests: 0, conversations: 0 }, first_audio_ms: null, reply_ms: null });
    const spoken = (change: Partial<UsageRecord>): UsageRecord => usage(own.teamId, "a", "s1", change);
    await settleUsage(
      service.db,
      [
        ...Array.from({ length: 101 }, (_, at) => spoken({ firstAudioMs: at + 0.4 })),
        spoken({ firstAudioMs: null }),
        spoken({ firstAudioMs: 9000, agentId: "agent" }),
        spoken({ firstAudioMs: 9000, finishedAtMs: Date.now() - 25 * 3600 * 1000 }),
        usage(other.teamId, "a", "s1", { firstAudioMs: 9000 }),
      ],
      new Date(),
    );
    // The sweep ends a session whose time is up.
    const open = { status: "active", overBy: new Date(Date.now() + 3600 * 1000), endedAt: null } as const;
    await insertOverSession(service.db, own.teamId, open);
    await insertOverSession(service.db, other.teamId, open);
    for (const [teamId, totals] of [
      [own.teamId, [600, 700]],
      [other.teamId, [9000]],
    ] as const) {
      const sessionId = await insertOverSession(service.db, teamId);
      const items = totals.map((total_ms, sequence) => ({
        ...{ sessionId, key: `latency ${sequence}`, sequence, turnId: sequence, createdAt: new Date() },
        ...{ type: "turn_latency" as const, content: { total_ms } },
      }));
      await service.db.insert(agentSessionItems).values(items);
    }
    const records = [own.teamId, own.teamId, other.teamId].map((teamId) => usage(teamId, "a", "s1"));
    await service.bus.objects(openUsageBucket).put("edge.1", encodeMsgpack({ records }));
    expect(await ask()).toEqual({
      live: { requests: 2, conversations: 1 },
      first_audio_ms: { count: 101, p50: 50, p95: 95, p99: 99 },
      reply_ms: { count: 2, p50: 650, p95: 695, p99: 699 },
    });
  });

  it.each([
    ["end=9999-12-31", { start: "9999-12-02", end: "9999-12-31" }],
    ["end=0000-01-01", { start: "0000-01-01", end: "0000-01-01" }],
    ["end=0000-02-29", { start: "0000-01-31", end: "0000-02-29" }],
    ["start=0000-01-01&end=0000-12-31", { start: "0000-01-01", end: "0000-12-31" }],
    ["start=9999-12-31&end=9999-12-31", { start: "9999-12-31", end: "9999-12-31" }],
  ])("answers %s with nothing, as with any days without usage", async (query, days) => {
    const { principal } = await addTeam(service.db);
    const { status, json } = await service.callJson(principal, "GET", "/v1/usage", { query });
    expect([status, json]).toEqual([200, { ...days, group_by: ["day"], data: [], truncated: false }]);
  });

  it.each([
    "start=2025-06-02&end=2025-06-01",
    "start=9999-12-31",
    "start=9999-12-31&end=0000-01-01",
    "start=0000-01-01",
    "start=0000-01-01&end=9999-12-31",
    "end=10000-01-01",
    "end=%2B010000-01-01",
    "end=-000001-01-01",
    "end=2025-02-29",
    "end=0000-00-00",
    "end=",
  ])("refuses %s in words", async (query) => {
    const { principal } = await addTeam(service.db);
    const { status, json } = await service.callJson(principal, "GET", "/v1/usage", { query });
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('"msg":"Input should')]);
  });

  it("refuses what it cannot read, and keys without the scope", async () => {
    const { principal } = await addTeam(service.db);
    const refused = await service.callJson(principal, "GET", "/v1/usage", { query: "start=soon" });
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([422, expect.not.stringContaining("soon")]);
    expect((await service.callJson({ ...principal, scopes: ["speech"] }, "GET", "/v1/usage")).status).toBe(403);
    expect((await service.callJson(principal, "POST", "/v1/usage")).status).toBe(405);
  });
});

const present = hasChdb();

describe.skipIf(!present)("GET /v1/usage of a whole cluster", () => {
  it("counts a spoken request in the embedded engine, and still does after the control plane was killed", async () => {
    const cluster = await startCluster();
    const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
    const speak = async (): Promise<void> => {
      const answer = await fetch(`${cluster.baseUrl}/v1/tts`, {
        method: "POST",
        headers,
        body: JSON.stringify({ text: "Counted.", format: "wav" }),
      });
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    };
    const requests = async (): Promise<number> => {
      const answer = await fetch(`${cluster.baseUrl}/v1/usage?group_by=model`, { headers });
      if (answer.status !== 200) return -1;
      const report = usageReport.parse(await answer.json());
      return report.data.find(({ model }) => model === "s2-pro")?.requests ?? 0;
    };
    try {
      await speak();
      await until(async () => (await requests()) === 1, { withinMs: 15_000, what: "the first request's usage" });
      expect(cluster.kill("control-plane")).toBe(true);
      // The key is remembered: speech goes on, and its usage waits on the bus.
      await speak();
      await until(async () => (await requests()) === 2, { withinMs: 40_000, what: "the second request's usage" });
      const said = cluster.complaints.filter(
        ({ name, text }) => name === "control-plane" && text.includes("analytics"),
      );
      expect(said).toEqual([]);
    } finally {
      await cluster.stop();
    }
  }, 120_000);
});
