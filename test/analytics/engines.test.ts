import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { settleUsage } from "#control-plane/accounts/usage";
import { backfillUsage } from "#control-plane/analytics/backfill";
import { chdbEngine } from "#control-plane/analytics/chdb";
import { clickHouseEngine } from "#control-plane/analytics/clickhouse";
import type { AnalyticsEngine } from "#control-plane/analytics/engine";
import { analyticsMigrations, migrateAnalytics } from "#control-plane/analytics/migrations";
import { MAX_USAGE_LINES, readUsageQuery, type UsageQuery } from "#control-plane/analytics/usage-query";
import { sumUsageInRecords } from "#control-plane/analytics/usage-records";
import { insertUsage, sumUsageInEngine } from "#control-plane/analytics/usage-table";
import type { UsageRecord } from "#protocol/bus/control";
import type { UsageDimension } from "#protocol/usage";
import { freshDatabase } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { hasChdb } from "./chdb-present.js";
import { serveClickHouse } from "./clickhouse-server.js";

const DAY_MS = 86_400_000;
const noonToday = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;

function usage(change: Partial<UsageRecord>): UsageRecord {
  const measured = {
    characters: 100,
    audioMs: 1500,
    firstAudioMs: 50.5,
    totalMs: 900.25,
    outcome: "completed" as const,
  };
  return {
    usageId: newIdentifier(),
    teamId: "t",
    keyId: "k",
    route: "/v1/tts",
    model: "s1",
    ...measured,
    traceId: "t",
    finishedAtMs: noonToday,
    ...change,
  };
}

function mixOf(teamId: string): UsageRecord[] {
  return Array.from({ length: 60 }, (_, index) =>
    usage({
      teamId,
      keyId: `key ${index % 3}`,
      model: index % 2 === 0 ? "s1" : "s2-pro",
      characters: index * 7,
      audioMs: index * 1000,
      ...(index % 3 === 0 ? { agentId: `agent ${index % 2}` } : {}),
      ...(index % 6 === 0 ? { model: "conversation", conversationMs: index * 500 } : {}),
      outcome: index % 10 === 9 ? "failed" : index % 10 === 8 ? "partial" : "completed",
      firstAudioMs: index % 10 === 9 ? null : 50,
      // The last instant of a day and the first one of the next.
      finishedAtMs:
        noonToday - (index % 4) * DAY_MS + (index % 5 === 0 ? DAY_MS / 2 - 1 : index % 5 === 1 ? -DAY_MS / 2 : 0),
    }),
  );
}

const questions: UsageDimension[][] = [["day"], ["model"], ["key"], ["agent"], ["day", "model", "key", "agent"]];
const lately = (teamId: string, groupBy: UsageDimension[]): UsageQuery => ({
  ...readUsageQuery(teamId, new URLSearchParams(), new Date(noonToday)),
  groupBy,
});

/** Dates that the API allows and that the calendar of one engine or another does not reach. */
const farDays = [
  ["0000-01-01", "0000-12-31"],
  ["0001-01-01", "0001-01-01"],
  ["1899-12-31", "1900-01-01"],
  ["2299-12-31", "2300-01-01"],
  ["9999-12-31", "9999-12-31"],
] as const;

const present = hasChdb();

describe.skipIf(!present)("usage in ClickHouse", () => {
  const directory = temporaryDirectory("chdb");
  let embedded: AnalyticsEngine;
  let server: Awaited<ReturnType<typeof serveClickHouse>>;
  let remote: AnalyticsEngine;
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    const engine = await chdbEngine(directory.path);
    if (engine === null) throw new Error("chdb did not load");
    embedded = engine;
    server = await serveClickHouse();
    remote = clickHouseEngine(server.url);
    fixture = await freshDatabase("pglite");
  });
  afterAll(async () => {
    await remote.close();
    await embedded.close();
    await server.stop();
    await fixture.stop();
    directory.remove();
  });

  describe.each(["chdb", "clickhouse"] as const)("%s", (name) => {
    const engine = (): AnalyticsEngine => (name === "chdb" ? embedded : remote);

    it("has the schema after one migration, and after two", async () => {
      expect(await migrateAnalytics(engine())).toEqual(analyticsMigrations.map(({ name }) => name));
      expect(await migrateAnalytics(engine())).toEqual([]);
      const [table] = (await engine().query(
        "SELECT engine, create_table_query AS made FROM system.tables WHERE name = 'parley_usage'",
        {},
      )) as { engine: string; made: string }[];
      expect(table?.engine).toBe("ReplacingMergeTree");
      expect(table?.made).toContain("TTL toDateTime(finished_at) + toIntervalMonth(13)");
    });

    it("gives the sums that Postgres gives, whatever they are asked by, though every record came three times in other company", async () => {
      const { db } = fixture.database;
      const { teamId } = await addTeam(db);
      const mix = mixOf(teamId);
      for (const record of mix) await settleUsage(db, [record], new Date(noonToday));
      await insertUsage(engine(), mix);
      await insertUsage(engine(), mix);
      await insertUsage(engine(), [...mix.slice(20), usage({ teamId: "another" })]);
      for (const groupBy of questions) {
        const query = lately(teamId, groupBy);
        const [fromEngine, fromRecords] = [await sumUsageInEngine(engine(), query), await sumUsageInRecords(db, query)];
        expect(fromEngine.length).toBeGreaterThan(1);
        expect(fromEngine).toEqual(fromRecords);
      }
      const all = await sumUsageInEngine(engine(), lately(teamId, ["day"]));
      expect(all.reduce((sum, line) => sum + line.requests, 0)).toBe(mix.length);
      expect(all.reduce((sum, line) => sum + line.failed, 0)).toBe(6);
      expect(all.reduce((sum, line) => sum + line.conversationMs, 0)).toBe(135_000);
      expect(all.reduce((sum, line) => sum + line.partial, 0)).toBe(6);
    });

    it("counts whole days, the first and the last included", async () => {
      const teamId = newIdentifier();
      const startOfDay = noonToday - DAY_MS / 2;
      const instants = [startOfDay - 1, startOfDay, startOfDay + DAY_MS - 1, startOfDay + DAY_MS];
      await insertUsage(
        engine(),
        instants.map((finishedAtMs) => usage({ teamId, finishedAtMs })),
      );
      const day = new Date(noonToday).toISOString().slice(0, 10);
      const lines = await sumUsageInEngine(engine(), { teamId, start: day, end: day, groupBy: ["day"] });
      expect(lines).toMatchObject([{ day, requests: 2 }]);
    });

    it.each(farDays)("answers for %s to %s as the records do, with what there is", async (start, end) => {
      const { db } = fixture.database;
      const { teamId } = await addTeam(db);
      const record = usage({ teamId });
      await settleUsage(db, [record], new Date(noonToday));
      await insertUsage(engine(), [record]);
      const query: UsageQuery = { teamId, start, end, groupBy: ["model"] };
      expect([await sumUsageInEngine(engine(), query), await sumUsageInRecords(db, query)]).toEqual([[], []]);
      const spanning: UsageQuery = { ...query, start: "0000-01-01", end: "9999-12-31" };
      expect([await sumUsageInEngine(engine(), spanning), await sumUsageInRecords(db, spanning)]).toMatchObject([
        [{ requests: 1 }],
        [{ requests: 1 }],
      ]);
    });

    it("takes a team's id for what it is, quotes and all", async () => {
      const lines = await sumUsageInEngine(engine(), lately("' OR 1=1 --", ["day"]));
      expect(lines).toEqual([]);
    });

    it("keeps counts of more than 32 bits exact", async () => {
      const teamId = newIdentifier();
      await insertUsage(
        engine(),
        [1, 2, 3].map(() => usage({ teamId, characters: 4_000_000_000_000, audioMs: 5_000_000_000 })),
      );
      expect(await sumUsageInEngine(engine(), lately(teamId, ["model"]))).toMatchObject([
        { characters: 12_000_000_000_000, audioMs: 15_000_000_000 },
      ]);
    });
  });

  it("gets what was booked before the engine came, once", async () => {
    const { db } = fixture.database;
    const { teamId } = await addTeam(db);
    const mix = mixOf(teamId);
    for (const record of mix) await settleUsage(db, [record], new Date(noonToday));
    const signal = new AbortController().signal;
    expect(await backfillUsage(embedded, db, signal)).toBeGreaterThanOrEqual(mix.length);
    expect(await backfillUsage(embedded, db, signal)).toBeNull();
    // The stream still has them as well.
    await insertUsage(embedded, mix);
    const query = lately(teamId, ["day", "model", "key", "agent"]);
    expect(await sumUsageInEngine(embedded, query)).toEqual(await sumUsageInRecords(db, query));
  });

  it("says that a second process cannot have the embedded engine's folder", async () => {
    const { execFileSync } = await import("node:child_process");
    const script = `
      const { chdbEngine } = await import(${JSON.stringify(new URL("./../../control-plane/analytics/chdb.js", import.meta.url).href)});
      chdbEngine(${JSON.stringify(directory.path)}).then(() => console.log("opened"), (error) => console.log(error.code)).finally(() => process.exit(0));
    `;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString().trim()).toBe(
      "dependency_unavailable",
    );
  });
});

describe.skipIf(!present)("a ClickHouse server", () => {
  it("is reached as the user, and in the database, that its URL names, and is unavailable as any other", async () => {
    const { url, stop } = await serveClickHouse();
    const [stranger, elsewhere] = [new URL(url), new URL(url)];
    stranger.password = "wrong";
    elsewhere.pathname = "/nowhere";
    const outcomes: string[] = [];
    for (const address of [url, stranger.href, elsewhere.href]) {
      const engine = clickHouseEngine(address);
      outcomes.push(
        await engine.query("SELECT 1 AS one", {}).then(
          (rows) => JSON.stringify(rows),
          (error: { code: string }) => error.code,
        ),
      );
      await engine.close();
    }
    expect(outcomes).toEqual(['[{"one":1}]', "dependency_unavailable", "dependency_unavailable"]);
    await stop();
  });
});

describe("an engine that does not answer", () => {
  it("is a dependency that is unavailable", async () => {
    const engine = clickHouseEngine("http://127.0.0.1:1");
    await expect(engine.query("SELECT 1", {})).rejects.toMatchObject({ code: "dependency_unavailable" });
    await engine.close();
  });
});

describe("the query of /v1/usage", () => {
  const now = new Date("2026-11-20T23:59:59.999Z");
  const read = (text: string): UsageQuery => readUsageQuery("t", new URLSearchParams(text), now);

  it("is the last 30 days by day when it says nothing", () => {
    expect(read("")).toEqual({ teamId: "t", start: "2026-10-22", end: "2026-11-20", groupBy: ["day"] });
  });

  it("takes dates and what to tell apart, in one order, each once", () => {
    expect(read("start=2026-02-28&end=2026-03-01&group_by=key,day,key")).toEqual({
      teamId: "t",
      start: "2026-02-28",
      end: "2026-03-01",
      groupBy: ["day", "key"],
    });
    expect(read("end=2026-03-01")).toMatchObject({ start: "2026-01-31", end: "2026-03-01" });
  });

  it.each([
    "start=2026-13-01",
    "start=yesterday",
    "end=2026-02-30",
    "start=2026-03-02&end=2026-03-01",
    "start=2025-01-01&end=2026-03-01",
    "group_by=",
    "group_by=team",
    "group_by=day;model",
  ])("refuses %s", (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "validation" }));
  });

  it("bounds its answer", () => {
    expect(MAX_USAGE_LINES).toBe(10_000);
  });
});
