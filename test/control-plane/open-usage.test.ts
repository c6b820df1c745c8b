import { setImmediate as nextTurn } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { recoverOpenUsage } from "#control-plane/accounts/open-usage";
import { settleUsage } from "#control-plane/accounts/usage";
import type { Db } from "#control-plane/database/database";
import { usageRecords } from "#control-plane/database/schema";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import type { Heartbeat } from "#protocol/bus/membership";
import { openUsageBucket } from "#protocol/bus/open-usage";
import { encodeMsgpack } from "#protocol/msgpack";
import { freshDatabase, silentLog } from "./databases.js";
import { addTeam } from "./teams.js";

const edge = (id: string, epoch: string): Extract<Heartbeat, { role: "edge" }> => ({
  type: "heartbeat",
  role: "edge",
  id,
  epoch,
  state: "ready",
});

const runtime = (id: string): Extract<Heartbeat, { role: "agent" }> => ({
  ...{ type: "heartbeat", role: "agent", id, epoch: "e", state: "ready", places: 1, sessions: [] },
});

describe("what edges that are gone had given", () => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  let teamId: string;
  beforeAll(async () => {
    fixture = await freshDatabase("pglite");
    db = fixture.database.db;
    ({ teamId } = await addTeam(db));
  });
  afterAll(() => fixture.stop());

  const usage = (change: Partial<UsageRecord> = {}): UsageRecord => ({
    usageId: newIdentifier(),
    teamId,
    keyId: "k",
    route: "r",
    model: "s1",
    characters: 100,
    audioMs: 1,
    firstAudioMs: 1,
    totalMs: 1,
    outcome: "partial",
    traceId: "t",
    finishedAtMs: 0,
    ...change,
  });

  function makeRecovery(live: Extract<Heartbeat, { role: "edge" | "agent" }>[]) {
    const [bus, clock] = [new LocalBus(), new VirtualClock()];
    const members = { ofRole: (role: string) => live.filter((member) => member.role === role) as never[] };
    const recovery = recoverOpenUsage({ bus, clock, db, log: silentLog, members });
    const bucket = bus.objects(openUsageBucket);
    return {
      bus,
      bucket,
      recovery,
      report: (name: string, open: UsageRecord[]) => bucket.put(name, encodeMsgpack({ records: open })),
      published: () => bus.published.filter(({ subject }) => subject === usageSubject).map(({ message }) => message),
      /** Lets a look or more pass; the database has a thread of its own. */
      async look(times = 1) {
        for (let time = 0; time < times; time++) {
          clock.advance(5000);
          for (let turn = 0; turn < 10; turn++) await nextTurn();
        }
      },
    };
  }

  it("is published once two looks have missed the edge, then forgotten; that of live edges and runtimes stays", async () => {
    const live = [edge("edge-1", "new"), edge("edge-2", "e"), runtime("agent-1")];
    const { bucket, look, published, report, recovery } = makeRecovery(live);
    const given = [usage(), usage()];
    await report("edge-1.old", given);
    await report("edge-1.new", [usage()]);
    await report("edge-2.e", [usage()]);
    await report("agent-1.e", [usage()]);
    await look();
    expect(published()).toEqual([]);
    await look();
    await expect.poll(() => published()).toEqual(given);
    await expect.poll(() => bucket.names()).toEqual(["edge-1.new", "edge-2.e", "agent-1.e"]);
    await look(3);
    expect(published()).toHaveLength(2);
    recovery.stop();
  });

  it("waits for an edge that is only away: while the bus is lost, and when its heartbeats come again", async () => {
    const live: Extract<Heartbeat, { role: "edge" }>[] = [];
    const { bus, look, published, report, recovery } = makeRecovery(live);
    await report("edge-1.e", [usage()]);
    await look();
    bus.disconnect();
    await look(3);
    bus.reconnect();
    await look();
    live.push(edge("edge-1", "e"));
    await look(3);
    expect(published()).toEqual([]);
    recovery.stop();
  });

  it("leaves out requests whose end is booked already", async () => {
    const { look, published, report, recovery } = makeRecovery([]);
    const [ended, open] = [usage({ outcome: "completed" }), usage()];
    await settleUsage(db, [ended], new Date());
    await report("edge-1.e", [{ ...ended, outcome: "partial" }, open]);
    await look(2);
    await expect.poll(() => published()).toEqual([open]);
    expect(await db.select().from(usageRecords).where(eq(usageRecords.usageId, ended.usageId))).toMatchObject([
      { outcome: "completed" },
    ]);
    recovery.stop();
  });
});
