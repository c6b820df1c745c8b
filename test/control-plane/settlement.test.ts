import { describe, expect, it } from "vitest";
import { connectNats } from "#common/bus/nats";
import { UsageSettlement } from "#control-plane/accounts/settlement";
import { openDatabase } from "#control-plane/database/open";
import { readBalances } from "#control-plane/ledger/accounts";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { until } from "../harness/processes.js";
import { startNats } from "../harness/servers.js";
import { freshDatabase, silentLog } from "./databases.js";
import { postgresPrograms, startPostgres } from "./postgres.js";
import { addTeam } from "./teams.js";

const programs = postgresPrograms();

const record = (change: Partial<UsageRecord>): UsageRecord => ({
  usageId: "u",
  teamId: "t",
  keyId: "k",
  route: "r",
  model: "s1",
  characters: 100,
  audioMs: 1,
  firstAudioMs: 1,
  totalMs: 1,
  outcome: "completed",
  traceId: "t",
  finishedAtMs: 0,
  ...change,
});

describe("a batch of usage", () => {
  it("is settled in one transaction, but for one that the database refuses: it takes no other with it", async () => {
    const [nats, fixture] = await Promise.all([startNats(), freshDatabase("pglite")]);
    const bus = await connectNats({ url: nats.url, name: "edge", log: silentLog });
    const { db } = fixture.database;
    const { teamId } = await addTeam(db, { balanceMicros: 1_000_000 });
    let transactions = 0;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const gated = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "transaction") return value.bind(target) as unknown;
        return async (...given: unknown[]) => {
          transactions++;
          await opened;
          return await (Reflect.apply(value, target, given) as Promise<unknown>);
        };
      },
    });
    const settlement = new UsageSettlement({
      bus,
      db: gated,
      log: silentLog,
      now: () => new Date(),
      consumer: "settlement",
    });
    await settlement.ready;
    const balance = async (): Promise<number> => (await readBalances(db, teamId)).credit;
    bus.publish(usageSubject, record({ teamId, usageId: "first" }));
    await until(async () => transactions === 1, { withinMs: 10_000, what: "the first record" });
    // They wait meanwhile, and come together.
    for (let index = 0; index < 60; index++) bus.publish(usageSubject, record({ teamId, usageId: `usage ${index}` }));
    for (const usageId of ["with a \0 in it", "after"])
      bus.publish(usageSubject, record({ teamId, usageId, audioMs: 2 }));
    await bus.flush();
    open();
    await until(async () => (await balance()) === 1_000_000 - 62 * 1500, { withinMs: 10_000, what: "all but the one" });
    // The first, the batch, and its records one by one because the batch was refused.
    expect(transactions).toBeLessThanOrEqual(1 + 3 + 62);
    for (let index = 0; index < 60; index++) bus.publish(usageSubject, record({ teamId, usageId: `more ${index}` }));
    await until(async () => (await balance()) === 1_000_000 - 122 * 1500, { withinMs: 10_000, what: "more" });
    expect(transactions).toBeLessThan(64 + 30);
    await settlement.drain();
    await bus.close();
    await Promise.all([fixture.stop(), nats.stop()]);
  });
});

describe.skipIf(programs === null)("usage on the bus", () => {
  it("is settled once by several instances, the part that came while the database was away included", async () => {
    const [nats, server] = await Promise.all([startNats(), startPostgres(programs ?? "")]);
    const bus = await connectNats({ url: nats.url, name: "edge", log: silentLog });
    const database = await openDatabase({ url: server.url, dataDirectory: "", log: silentLog });
    const { db } = database;
    const { teamId } = await addTeam(db, { balanceMicros: 1_000_000 });
    const settlements = [0, 1].map(
      () => new UsageSettlement({ bus, db, log: silentLog, now: () => new Date(), consumer: "settlement" }),
    );
    await Promise.all(settlements.map(({ ready }) => ready));
    const publish = (count: number, from: number): void => {
      for (let index = from; index < from + count; index++) {
        const usage: UsageRecord = {
          usageId: `usage ${index >> 1}`,
          teamId,
          keyId: "k",
          route: "r",
          model: "s1",
          characters: 100,
          audioMs: 1,
          firstAudioMs: 1,
          totalMs: 1,
          outcome: "completed",
          traceId: "t",
          finishedAtMs: 0,
        };
        bus.publish(usageSubject, usage);
      }
    };
    const balance = async (): Promise<number> => (await readBalances(db, teamId)).credit;
    publish(20, 0);
    await until(async () => (await balance()) === 1_000_000 - 10 * 1500, {
      withinMs: 10_000,
      what: "the first settlements",
    });
    await server.interrupt();
    publish(20, 20);
    await bus.flush();
    await server.resume();
    await until(async () => (await balance()) === 1_000_000 - 20 * 1500, {
      withinMs: 15_000,
      what: "the late settlements",
    });
    await Promise.all(settlements.map((settlement) => settlement.drain()));
    expect(await balance()).toBe(1_000_000 - 20 * 1500);
    await bus.close();
    await database.close();
    await Promise.all([server.stop(), nats.stop()]);
  });
});
