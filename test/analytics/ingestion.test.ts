import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { clickHouseEngine } from "#control-plane/analytics/clickhouse";
import type { AnalyticsEngine } from "#control-plane/analytics/engine";
import { ingestUsage } from "#control-plane/analytics/ingestion";
import { migrateAnalytics } from "#control-plane/analytics/migrations";
import { readUsageQuery } from "#control-plane/analytics/usage-query";
import { sumUsageInEngine } from "#control-plane/analytics/usage-table";
import { noTelemetry } from "#control-plane/telemetry/control-telemetry";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { silentLog } from "../control-plane/databases.js";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { hasChdb } from "./chdb-present.js";
import { serveClickHouse } from "./clickhouse-server.js";

const RECORDS = 3000;
const KILLS = 4;
const nowMs = Date.now();

function record(teamId: string, index: number): UsageRecord {
  const facts = {
    firstAudioMs: 50,
    totalMs: 400,
    outcome: "completed" as const,
    traceId: "t",
    route: "/v1/tts",
    finishedAtMs: nowMs - (index % 7) * 86_400_000,
  };
  return {
    usageId: `${teamId} ${index}`,
    teamId,
    keyId: `key ${index % 3}`,
    model: index % 2 === 0 ? "s1" : "s2-pro",
    characters: index,
    audioMs: 10 * index,
    ...facts,
  };
}

/** A generator of the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe.skipIf(!hasChdb())("usage on its way from the bus to ClickHouse", () => {
  let nats: ExternalServer;
  let clickHouse: Awaited<ReturnType<typeof serveClickHouse>>;
  let engine: AnalyticsEngine;
  let bus: Bus;
  const children = new Set<ChildProcess>();
  beforeAll(async () => {
    [nats, clickHouse] = await Promise.all([startNats(), serveClickHouse()]);
    engine = clickHouseEngine(clickHouse.url);
    await migrateAnalytics(engine);
    bus = await connectNats({ url: nats.url, name: "edge", log: silentLog });
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await bus.close();
    await engine.close();
    await clickHouse.stop();
    await nats.stop();
  });

  const startConsumer = async (onInsert: (count: number, child: ChildProcess) => void): Promise<void> => {
    const child = fork(new URL("./consumer-process.js", import.meta.url), [nats.url, clickHouse.url]);
    children.add(child);
    child.on("message", ({ count }: { count: number }) => onInsert(count, child));
    await once(child, "message");
  };
  const sums = async (teamId: string) => {
    const lines = await sumUsageInEngine(
      engine,
      readUsageQuery(teamId, new URLSearchParams("group_by=model"), new Date(nowMs)),
    );
    return {
      requests: lines.reduce((sum, line) => sum + line.requests, 0),
      characters: lines.reduce((sum, line) => sum + line.characters, 0),
      lines,
    };
  };

  it("counts every request exactly once, though each came up to three times and consumers were killed in the middle of it", async () => {
    const random = randomFrom(7);
    let inserted = 0;
    let kills = 0;
    let replacing: Promise<void> = Promise.resolve();
    const onInsert = (count: number, child: ChildProcess): void => {
      inserted += count;
      // It has inserted and not acknowledged, or is in the middle of the next insert.
      if (kills >= KILLS || inserted < (kills + 1) * 800) return;
      kills++;
      child.kill("SIGKILL");
      replacing = replacing.then(() => startConsumer(onInsert));
    };
    await Promise.all([startConsumer(onInsert), startConsumer(onInsert)]);
    let published = 0;
    for (let index = 0; index < RECORDS; index++) {
      const copies = 1 + Math.floor(random() * 3);
      for (let copy = 0; copy < copies; copy++) {
        // Copies come together, or much later and in other company.
        bus.publish(usageSubject, record("killed", copy === 0 ? index : Math.floor(random() * (index + 1))));
        published++;
      }
      if (index % 200 === 199) await bus.flush();
    }
    expect(published).toBeGreaterThan(RECORDS * 1.5);
    await until(async () => (await sums("killed")).requests === RECORDS, {
      withinMs: 90_000,
      what: "all usage to arrive",
    });
    await replacing;
    const truth = Array.from({ length: RECORDS }, (_, index) => index);
    const { lines, ...totals } = await sums("killed");
    expect(kills).toBe(KILLS);
    expect(totals).toEqual({ requests: RECORDS, characters: truth.reduce((sum, index) => sum + index, 0) });
    expect(lines.map(({ model, audioMs }) => [model, audioMs])).toEqual([
      ["s1", truth.filter((index) => index % 2 === 0).reduce((sum, index) => sum + 10 * index, 0)],
      ["s2-pro", truth.filter((index) => index % 2 === 1).reduce((sum, index) => sum + 10 * index, 0)],
    ]);
    for (const child of children) child.kill("SIGKILL");
  }, 150_000);

  it("keeps usage on the bus while the engine fails, drops what nobody can read, and goes on where it was", async () => {
    let failures = 0;
    const failing: AnalyticsEngine = {
      ...engine,
      insert: (table, rows, token) =>
        ++failures <= 3 ? Promise.reject(new Error("down")) : engine.insert(table, rows, token),
    };
    const before = ingestUsage({ bus, engine: failing, log: silentLog, telemetry: noTelemetry, lingerMs: 1 });
    await before.ready;
    bus.publish(usageSubject, { usageId: 5 });
    // A date that no calendar has: what cannot become a row may not hold up the others.
    bus.publish(usageSubject, { ...record("outage", 99), finishedAtMs: 9e15 });
    for (let index = 0; index < 20; index++) bus.publish(usageSubject, record("outage", index));
    await until(async () => (await sums("outage")).requests === 20, {
      withinMs: 30_000,
      what: "usage after the outage",
    });
    expect(failures).toBeGreaterThan(3);
    await before.stop();
    for (let index = 20; index < 25; index++) bus.publish(usageSubject, record("outage", index));
    await bus.flush();
    const after = ingestUsage({ bus, engine, log: silentLog, telemetry: noTelemetry, lingerMs: 1 });
    await until(async () => (await sums("outage")).requests === 25, {
      withinMs: 30_000,
      what: "usage of the time without a consumer",
    });
    await after.stop();
  }, 90_000);
});
