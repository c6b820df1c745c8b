import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createSealer } from "#common/secrets/sealer";
import type { Database } from "#control-plane/database/database";
import { openDatabase } from "#control-plane/database/open";
import { enqueueWebhookEvent } from "#control-plane/webhooks/enqueue";
import { webhookDeliveries } from "#control-plane/webhooks/tables";
import { webhookWakeSubject } from "#protocol/webhooks";
import { silentLog } from "../control-plane/databases.js";
import { postgresPrograms, startPostgres, type TestPostgres } from "../control-plane/postgres.js";
import { addTeam } from "../control-plane/teams.js";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { isSigned, type Receipt, type Receiver, startReceiver } from "./receivers.js";
import { someSession, threeEvents } from "./sessions.js";

const main = new URL("./../../control-plane/main.js", import.meta.url).pathname;
const SECRET_KEY = "0123456789abcdef".repeat(4);
const PATHS = ["/prompt", "/refuses-once", "/slow"] as const;
const SESSIONS = 40;
const EVENTS = ["phone_call.dial_finished", "call.ended", "call.analyzed"];
const programs = postgresPrograms();

/** The process dies when a receiver has one more request in hand and has not answered it: sent, and not booked. */
const killAtReceipts = [25, 110, 230].map((count) => count + Math.floor(Math.random() * 40));

describe.skipIf(programs === null)("webhooks while the control plane is killed", { timeout: 180_000 }, () => {
  const directory = temporaryDirectory("webhook-kill");
  const sealer = createSealer([SECRET_KEY]);
  let postgres: TestPostgres;
  let nats: ExternalServer;
  let bus: Bus;
  let database: Database;
  let receiver: Receiver;
  let child: ChildProcess;
  let kills = 0;

  const start = async (): Promise<void> => {
    const { PATH } = process.env;
    const settings = {
      PARLEY_DATA_DIR: directory.path,
      PARLEY_SECRET_KEY: SECRET_KEY,
      PARLEY_OUTBOUND_ALLOW: receiver.host,
      LOG_LEVEL: "error",
    };
    const env = { PATH, ...settings, NATS_URL: nats.url, DATABASE_URL: postgres.url };
    child = spawn(process.execPath, [main], { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await Promise.race([once(child, "message"), ended()]);
  };
  const ended = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };

  beforeAll(async () => {
    if (programs === null) return;
    [postgres, nats] = await Promise.all([startPostgres(programs), startNats()]);
    bus = await connectNats({ url: nats.url, name: "test", log: silentLog });
    const seen = new Map<string, number>();
    receiver = await startReceiver((receipt, response) => {
      if (receiver.receipts.length === killAtReceipts[kills]) {
        kills++;
        child.kill("SIGKILL");
      }
      const key = `${receipt.path} ${receipt.body}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      const status = receipt.path === "/refuses-once" && seen.get(key) === 1 ? 500 : 204;
      setTimeout(() => response.writeHead(status).end(), receipt.path === "/slow" ? 150 : 0);
    });
    await start();
    database = await openDatabase({ url: postgres.url, dataDirectory: "", log: silentLog });
  });

  afterAll(async () => {
    if (programs === null) return;
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await Promise.all([bus.close(), database.close(), receiver.close()]);
    await Promise.all([postgres.stop(), nats.stop()]);
    directory.remove();
  });

  async function writeEvents(teamId: string): Promise<Map<string, string[]>> {
    const endpoints = PATHS.map((path) => ({ url: receiver.url(path), secret: `secret of ${path}` }));
    const bodies = new Map<string, string[]>();
    for (let count = 0; count < SESSIONS; count++) {
      const session = someSession();
      bodies.set(
        session.id,
        threeEvents(session).map((payload) => JSON.stringify(payload)),
      );
      for (const payload of threeEvents(session)) {
        const event = { teamId, payload, endpoints, isPreview: false };
        await database.db.transaction((tx) => enqueueWebhookEvent(tx, event, { sealer, now: new Date() }));
        bus.publish(webhookWakeSubject, {});
      }
    }
    return bodies;
  }

  it("arrives at every endpoint at least once, in order, the same to the byte", async () => {
    const { teamId } = await addTeam(database.db);
    const writing = writeEvents(teamId);
    for (let life = 1; life <= killAtReceipts.length; life++) {
      await ended();
      await start();
    }
    const bodies = await writing;
    const isPending = async (): Promise<boolean> =>
      (
        await database.db
          .select({ id: webhookDeliveries.id })
          .from(webhookDeliveries)
          .where(eq(webhookDeliveries.status, "pending"))
          .limit(1)
      ).length > 0;
    await until(async () => !(await isPending()), { withinMs: 120_000, what: "every delivery to end" });

    const statuses = await database.db.select({ status: webhookDeliveries.status }).from(webhookDeliveries);
    expect(statuses.filter(({ status }) => status === "delivered")).toHaveLength(
      SESSIONS * EVENTS.length * PATHS.length,
    );
    for (const path of PATHS) {
      const bySession = groupBySession(receiver.at(path));
      expect([path, bySession.size]).toEqual([path, SESSIONS]);
      for (const [sessionId, receipts] of bySession) {
        expect([path, firstSeen(receipts)]).toEqual([path, bodies.get(sessionId)]);
        expect(receipts.every((receipt) => isSigned(receipt, `secret of ${path}`))).toBe(true);
      }
    }
    const without = SESSIONS * EVENTS.length * (PATHS.length + 1);
    expect(kills).toBe(killAtReceipts.length);
    expect(receiver.receipts.length).toBeGreaterThan(without);
  });
});

function groupBySession(receipts: readonly Receipt[]): Map<string, Receipt[]> {
  const groups = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const { id } = receipt.payload.session;
    groups.set(id, [...(groups.get(id) ?? []), receipt]);
  }
  return groups;
}

/** Bodies in the order in which each came first. */
function firstSeen(receipts: readonly Receipt[]): string[] {
  return [...new Set(receipts.map(({ body }) => body))];
}
