import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSealer } from "#common/secrets/sealer";
import type { Database, Db } from "#control-plane/database/database";
import type { AttemptOutcome, DeliveryBook, TakenDelivery } from "#control-plane/webhooks/delivery";
import { nextStep } from "#control-plane/webhooks/delivery";
import { databaseBook, reclaimDeliveries } from "#control-plane/webhooks/delivery-book";
import { dueQuery } from "#control-plane/webhooks/due-query";
import { enqueueWebhookEvent, type WebhookEndpoint } from "#control-plane/webhooks/enqueue";
import { callAnalyzed, type SessionFacts } from "#control-plane/webhooks/events";
import { webhookAttempts, webhookDeliveries, webhookEvents } from "#control-plane/webhooks/tables";
import type { WebhookPayload } from "#protocol/webhooks";
import { engines, freshDatabase } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";
import { someSession, threeEvents } from "./sessions.js";

const sealer = createSealer(["k".repeat(32)]);
const START = new Date("2026-01-01T12:00:00.000Z");
const later = (ms: number): Date => new Date(START.getTime() + ms);
const ok: AttemptOutcome = { statusCode: 200, error: null };
const broken: AttemptOutcome = { statusCode: 500, error: "The endpoint answered 500" };
const endpointA: WebhookEndpoint = { url: "https://a.hooks.dev/x", secret: "sshh" };
const endpointB: WebhookEndpoint = { url: "https://b.hooks.dev/x", secret: null };

describe.each(engines)("the book of deliveries on %s", (engine) => {
  let database: Database;
  let db: Db;
  let stop: () => Promise<void>;
  let book: DeliveryBook;
  let teamId: string;

  beforeAll(async () => {
    ({ database, stop } = await freshDatabase(engine));
    db = database.db;
    book = databaseBook(db);
  });
  afterAll(() => stop());
  beforeEach(async () => {
    await db.delete(webhookEvents);
    teamId = (await addTeam(db)).teamId;
  });

  const write = (
    payload: WebhookPayload,
    endpoints: WebhookEndpoint[] = [endpointA, endpointB],
    isPreview = false,
  ): Promise<boolean> =>
    db.transaction((tx) => enqueueWebhookEvent(tx, { teamId, payload, endpoints, isPreview }, { sealer, now: START }));
  const writeThree = async (session: SessionFacts, endpoints?: WebhookEndpoint[]): Promise<void> => {
    for (const payload of threeEvents(session)) await write(payload, endpoints);
  };
  const take = (atMs = 0, change: Partial<Parameters<DeliveryBook["take"]>[0]> = {}): Promise<TakenDelivery[]> =>
    book.take({ now: later(atMs), leaseMs: 20_000, limit: 100, busyEndpoints: [], busyTeams: [], ...change });
  const finish = (taken: TakenDelivery[], outcome: AttemptOutcome, atMs: number): Promise<void> =>
    book.finish(
      taken.map((delivery) => ({
        ...outcome,
        delivery,
        startedAt: later(atMs),
        durationMs: 1.6,
        next: nextStep(delivery, outcome, later(atMs)),
      })),
      later(atMs),
    );
  const eventsOf = (taken: TakenDelivery[]): string[] =>
    taken.map(({ url, body }) => `${new URL(url).host[0]} ${(JSON.parse(body) as WebhookPayload).event}`).sort();

  it("gives back at once what was taken by a process that had the database alone and died", async () => {
    await writeThree(someSession());
    const taken = await take();
    await finish(taken.slice(0, 1), broken, 0);
    expect(await take(0)).toEqual([]);
    await reclaimDeliveries(db, later(0));
    expect((await take(0)).map(({ id }) => id)).toEqual(taken.slice(1).map(({ id }) => id));
  });

  it("makes due what waits for a time after all that may be, as where the clock was set back, and nothing else", async () => {
    await writeThree(someSession(), [endpointA]);
    const taken = await take(3_600_000);
    await book.bringForward(later(3_700_000), later(0));
    expect(await take(0)).toEqual([]);
    await book.bringForward(later(60_000), later(0));
    expect((await take(0)).map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
    // Whoever had it before the clock was set books nothing any more.
    await finish(taken, ok, 0);
    expect((await take(20_001)).map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
  });

  it("keeps the event and its deliveries with the transaction, or neither", async () => {
    const [payload] = threeEvents(someSession());
    if (payload === undefined) throw new Error("no event");
    const attempt = db.transaction(async (tx) => {
      await enqueueWebhookEvent(
        tx,
        { teamId, payload, endpoints: [endpointA], isPreview: false },
        { sealer, now: START },
      );
      throw new Error("the call's record could not be written");
    });
    await expect(attempt).rejects.toThrow();
    expect(await db.select().from(webhookEvents)).toEqual([]);
    expect(await take()).toEqual([]);
    expect(await write(payload)).toBe(true);
    expect(await take()).toHaveLength(2);
  });

  it("writes nothing for previews, without endpoints, and for an event that it has", async () => {
    const session = someSession();
    const [payload] = threeEvents(session);
    if (payload === undefined) throw new Error("no event");
    expect(await write(payload, [endpointA], true)).toBe(false);
    expect(await write(payload, [])).toBe(false);
    expect(await write(payload, [endpointA])).toBe(true);
    expect(await write(payload, [endpointA])).toBe(false);
    const first = callAnalyzed(session, { status: "skipped", finishedAt: START });
    const rerun = callAnalyzed(session, { status: "skipped", finishedAt: later(5) });
    expect([await write(first), await write(first), await write(rerun)]).toEqual([true, false, true]);
    expect(await db.select().from(webhookEvents)).toHaveLength(3);
  });

  it("stores secrets sealed, each for its own delivery", async () => {
    await writeThree(someSession(), [endpointA, { url: "https://c.hooks.dev/", secret: "" }]);
    const rows = await db.select().from(webhookDeliveries);
    const sealed = rows.flatMap((row) => (row.sealedSecret === null ? [] : [row]));
    expect(sealed).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain("sshh");
    for (const row of sealed) expect(sealer.open(row.sealedSecret ?? "", `webhook-delivery:${row.id}`)).toBe("sshh");
  });

  it("gives the events of a session to each endpoint one after another, other sessions meanwhile", async () => {
    await writeThree(someSession());
    await writeThree(someSession(), [endpointA]);
    const first = await take();
    expect(eventsOf(first)).toEqual([
      "a phone_call.dial_finished",
      "a phone_call.dial_finished",
      "b phone_call.dial_finished",
    ]);
    expect(await take()).toEqual([]);
    await finish(
      first.filter(({ url }) => url === endpointB.url),
      ok,
      100,
    );
    const second = await take(100);
    expect(eventsOf(second)).toEqual(["b call.ended"]);
    await finish(
      first.filter(({ url }) => url === endpointA.url),
      broken,
      200,
    );
    expect(await take(1100)).toEqual([]);
    const retried = await take(1200);
    expect(eventsOf(retried)).toEqual(["a phone_call.dial_finished", "a phone_call.dial_finished"]);
    expect(retried.map(({ attempts }) => attempts)).toEqual([1, 1]);
    await finish([...retried, ...second], ok, 1300);
    expect(eventsOf(await take(1300))).toEqual(["a call.ended", "a call.ended", "b call.analyzed"]);
  });

  it("lets the next event go on when one was dropped after three attempts", async () => {
    await writeThree(someSession(), [endpointA]);
    let atMs = 0;
    for (const waitMs of [0, 1000, 5000]) {
      atMs += waitMs;
      const taken = await take(atMs);
      expect(eventsOf(taken)).toEqual(["a phone_call.dial_finished"]);
      await finish(taken, broken, atMs);
    }
    expect(eventsOf(await take(atMs))).toEqual(["a call.ended"]);
    const attempts = await db.select().from(webhookAttempts);
    expect(attempts.map(({ number, statusCode, durationMs }) => [number, statusCode, durationMs])).toEqual([
      [1, 500, 2],
      [2, 500, 2],
      [3, 500, 2],
    ]);
  });

  it("gives a delivery to another taker when its lease has ended, and books only the second one's outcome", async () => {
    await writeThree(someSession(), [endpointA]);
    const lost = await take(0);
    expect(await take(19_999)).toEqual([]);
    const found = await take(20_000);
    expect(found.map(({ id, body }) => ({ id, body }))).toEqual(lost.map(({ id, body }) => ({ id, body })));
    await finish(lost, broken, 20_001);
    expect(await db.select().from(webhookAttempts)).toEqual([]);
    await finish(found, ok, 20_002);
    await finish(found, broken, 20_003);
    expect(
      await db
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.id, found[0]?.id ?? "")),
    ).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it("leaves endpoints and teams out that have enough under way, and keeps to the limit", async () => {
    for (let session = 0; session < 5; session++) await writeThree(someSession());
    expect(await take(0, { limit: 3 })).toHaveLength(3);
    const busy = await db
      .select({ endpoint: webhookDeliveries.endpoint })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.url, endpointA.url))
      .limit(1);
    const others = await take(0, { busyEndpoints: busy.map(({ endpoint }) => endpoint) });
    expect(others.every(({ url }) => url === endpointB.url)).toBe(true);
    expect(await take(0, { busyTeams: [teamId] })).toEqual([]);
  });

  it("finds what is due beside a long backlog of a busy endpoint without passing through it", async () => {
    const backlog = 5000;
    for (let session = 0; session < 3; session++) await writeThree(someSession());
    await db.execute(sql`
      INSERT INTO webhook_deliveries (id, event_id, team_id, agent_id, session_id, event, position, endpoint, url, status, attempts, due_at, created_at)
      SELECT 'waiting ' || n, (SELECT min(id) FROM webhook_events), ${teamId}, '', 'session ' || n, '', 1, 'busy', '', 'pending', 0,
        ${later(-1000).toISOString()}::timestamptz, now()
      FROM generate_series(1, ${backlog}::int) AS n`);
    const request = { now: later(0), leaseMs: 20_000, limit: 64, busyEndpoints: ["busy"], busyTeams: [] };
    const { rows } = (await db.execute(sql`EXPLAIN (ANALYZE, FORMAT JSON) ${dueQuery(request)}`)) as unknown as {
      rows: object[];
    };
    const passed = [...JSON.stringify(rows).matchAll(/"(?:Actual Rows|Rows Removed by Filter)": ?([\d.]+)/g)].map(
      ([, count]) => Number(count),
    );
    expect(passed.length).toBeGreaterThan(3);
    expect(Math.max(...passed)).toBeLessThan(100);
    const taken = await book.take(request);
    expect(taken).toHaveLength(6);
    expect(await book.take({ ...request, busyEndpoints: taken.map(({ endpoint }) => endpoint) })).toHaveLength(64);
  });

  it("forgets old events with their log, never what is pending", async () => {
    const [done, waiting] = [someSession(), someSession()];
    const [first, second] = [threeEvents(done)[0], threeEvents(waiting)[0]];
    if (first === undefined || second === undefined) throw new Error("no event");
    await write(first, [endpointA]);
    await finish(await take(), ok, 0);
    await write(second, [endpointA]);
    await book.purge(later(1));
    expect((await db.select().from(webhookEvents)).map(({ sessionId }) => sessionId)).toEqual([waiting.id]);
    expect(await db.select().from(webhookAttempts)).toEqual([]);
  });

  it("misses nothing and mixes no order when events are written and delivered at the same time", async () => {
    const sessions = Array.from({ length: 12 }, () => someSession());
    const delivered = new Map<string, string[]>();
    let isWriting = true;
    const worker = async (): Promise<void> => {
      for (let idle = 0; isWriting || idle < 3; ) {
        const taken = await take(0, { limit: 4 });
        idle = taken.length === 0 ? idle + 1 : 0;
        for (const { sessionId, endpoint, body } of taken) {
          const lane = `${sessionId} ${endpoint}`;
          delivered.set(lane, [...(delivered.get(lane) ?? []), (JSON.parse(body) as WebhookPayload).event]);
        }
        await finish(taken, ok, 0);
      }
    };
    const workers = [worker(), worker(), worker()];
    await Promise.all(sessions.map((session) => writeThree(session)));
    isWriting = false;
    await Promise.all(workers);
    expect(delivered.size).toBe(sessions.length * 2);
    for (const events of delivered.values())
      expect(events).toEqual(["phone_call.dial_finished", "call.ended", "call.analyzed"]);
  });
});
