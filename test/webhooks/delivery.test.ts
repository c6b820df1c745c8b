import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { createOutbound, type Outbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import type { Database } from "#control-plane/database/database";
import { databaseBook } from "#control-plane/webhooks/delivery-book";
import { WebhookDispatcher } from "#control-plane/webhooks/dispatcher";
import { enqueueWebhookEvent, type WebhookEndpoint } from "#control-plane/webhooks/enqueue";
import { webhookSender } from "#control-plane/webhooks/send";
import { webhookDeliveries } from "#control-plane/webhooks/tables";
import { freshDatabase, silentLog } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";
import { until } from "../harness/processes.js";
import { type DnsServer, startDnsServer } from "../outbound/dns-server.js";
import { isSigned, type Receiver, startReceiver } from "./receivers.js";
import { someSession, threeEvents } from "./sessions.js";

const sealer = createSealer(["k".repeat(32)]);
let database: Database;
let stopDatabase: () => Promise<void>;
let receiver: Receiver;
let dns: DnsServer;
let outbound: Outbound;
let dispatcher: WebhookDispatcher;
let teamId: string;

beforeAll(async () => {
  ({ database, stop: stopDatabase } = await freshDatabase("pglite"));
  receiver = await startReceiver((receipt, response, count) => {
    const path = receipt.path.split("?")[0];
    if (path === "/hangs") return;
    if (path === "/slow-body") return void response.writeHead(200).write("the rest never comes");
    if (path === "/redirects") return void response.writeHead(302, { location: receiver.url("/elsewhere") }).end();
    if (path === "/second" && count === 1) return void response.writeHead(500).end();
    response.writeHead(204).end();
  });
  // Public when the URL was saved, private when the call ends.
  dns = await startDnsServer((name, family, asked) => ({
    addresses:
      family === 6 ? [] : name.startsWith("rebind") ? [asked === 0 ? "93.184.216.34" : "10.0.0.1"] : ["127.0.0.1"],
  }));
  outbound = createOutbound({ allow: [receiver.host], log: createLogger("test", "fatal"), dnsServers: [dns.address] });
  teamId = (await addTeam(database.db)).teamId;
  const now = (): Date => new Date();
  dispatcher = new WebhookDispatcher({
    book: databaseBook(database.db),
    send: webhookSender({ outbound, sealer, now }),
    ...{ clock: systemClock, log: silentLog, now },
  });
});

afterAll(async () => {
  dispatcher.stop();
  await Promise.all([receiver.close(), dns.close()]);
  await stopDatabase();
});

async function report(endpoints: WebhookEndpoint[], events = 1): Promise<string> {
  const session = someSession();
  for (const payload of threeEvents(session).slice(0, events)) {
    await database.db.transaction((tx) =>
      enqueueWebhookEvent(tx, { teamId, payload, endpoints, isPreview: false }, { sealer, now: new Date() }),
    );
  }
  dispatcher.wake();
  return session.id;
}

const statusesOf = async (sessionId: string): Promise<string[]> =>
  (await database.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.sessionId, sessionId))).map(
    ({ status }) => status,
  );
const settled = (sessionId: string, withinMs = 25_000): Promise<void> =>
  until(async () => (await statusesOf(sessionId)).every((status) => status !== "pending"), {
    withinMs,
    what: "every delivery to end",
  });

describe("deliveries over HTTP", { timeout: 60_000 }, () => {
  it("go to every endpoint, signed with its own secret, in order, the same to the byte", async () => {
    const sessionId = await report(
      [
        { url: receiver.url("/one"), secret: "first" },
        { url: receiver.url("/two"), secret: "second-ü" },
        { url: receiver.url("/bare"), secret: null },
      ],
      3,
    );
    await settled(sessionId);
    for (const [path, secret] of [
      ["/one", "first"],
      ["/two", "second-ü"],
    ] as const) {
      const receipts = receiver.at(path);
      expect(receipts.map(({ payload }) => payload.event)).toEqual([
        "phone_call.dial_finished",
        "call.ended",
        "call.analyzed",
      ]);
      expect(receipts.every((receipt) => isSigned(receipt, secret))).toBe(true);
      expect(receipts.every(({ headers }) => headers["content-type"] === "application/json")).toBe(true);
    }
    expect(receiver.at("/bare").map(({ body }) => body)).toEqual(receiver.at("/one").map(({ body }) => body));
    expect(receiver.at("/bare")[0]?.headers).not.toHaveProperty("x-service-webhook-signature");
    expect(receiver.at("/one")[0]?.payload.session).toMatchObject({
      id: sessionId,
      end_user_id: "käufer ☎",
      metadata: { order: 1 },
    });
  });

  it("are tried again with the same body and a fresh signature", async () => {
    await settled(await report([{ url: receiver.url("/second"), secret: "s" }]));
    const [first, second, ...more] = receiver.at("/second");
    expect(more).toEqual([]);
    expect(second?.body).toBe(first?.body);
    expect(second !== undefined && isSigned(second, "s")).toBe(true);
    expect(second?.headers["x-service-webhook-signature"]).not.toBe(first?.headers["x-service-webhook-signature"]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  // These two side by side: each waits for all attempts to fail.
  it.concurrent("succeed with a 2xx whose body never ends, and fail at a redirect, which is not followed", async () => {
    const slow = await report([{ url: receiver.url("/slow-body"), secret: null }]);
    const moved = await report([{ url: receiver.url("/redirects"), secret: null }]);
    await Promise.all([settled(slow), settled(moved)]);
    expect(await statusesOf(slow)).toEqual(["delivered"]);
    expect(receiver.at("/slow-body")).toHaveLength(1);
    expect(await statusesOf(moved)).toEqual(["failed"]);
    expect(receiver.at("/redirects")).toHaveLength(3);
    expect(receiver.at("/elsewhere")).toEqual([]);
  });

  it.concurrent("are not made to a host that has become private since it was saved", async () => {
    const url = "http://rebind.hooks.dev/hook";
    await outbound.checkUrl(url);
    const sessionId = await report([{ url, secret: null }]);
    await settled(sessionId);
    expect(await statusesOf(sessionId)).toEqual(["failed"]);
    expect(dns.questions("rebind.hooks.dev")).toBe(2 + 3 * 2);
  });

  it("do not wait for a receiver that hangs", async () => {
    await report([{ url: receiver.url("/hangs"), secret: null }]);
    await until(() => Promise.resolve(receiver.at("/hangs").length === 1), {
      withinMs: 5000,
      what: "the first attempt",
    });
    const began = performance.now();
    await settled(await report([{ url: receiver.url("/healthy"), secret: null }]));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
