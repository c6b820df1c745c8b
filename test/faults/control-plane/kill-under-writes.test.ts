import { randomInt } from "node:crypto";
import { expect, describe, it } from "vitest";
import { eq } from "drizzle-orm";
import { connectNats } from "#common/bus/nats";
import { createSealer } from "#common/secrets/sealer";
import type { Database, Db } from "#control-plane/database/database";
import { openDatabase } from "#control-plane/database/open";
import { enqueueWebhookEvent } from "#control-plane/webhooks/enqueue";
import { webhookDeliveries } from "#control-plane/webhooks/tables";
import {
  controlSubjects,
  type CreditReply,
  type ForwardedResponse,
  type Principal,
  type Reply,
} from "#protocol/bus/control";
import { webhookWakeSubject } from "#protocol/webhooks";
import { engines, silentLog } from "../../control-plane/databases.js";
import { postgresPrograms, startPostgres } from "../../control-plane/postgres.js";
import { addTeam } from "../../control-plane/teams.js";
import { until } from "../../harness/processes.js";
import { startNats } from "../../harness/servers.js";
import { temporaryDirectory } from "../../harness/temporary-directory.js";
import { howMany } from "../../harness/thorough.js";
import { type Receiver, startReceiver } from "../../webhooks/receivers.js";
import { someSession, threeEvents } from "../../webhooks/sessions.js";
import { KilledControlPlane } from "./killed-process.js";
import { randomFrom } from "./known.js";
import { Lane, OPENING_MICROS, USAGE_MICROS } from "./lane.js";
import { findBroken } from "./truth.js";

// `KILL_WRITES=5000 npx vitest run test/faults/control-plane` is the whole run; `KILL_SEED` repeats one.
const { KILL_WRITES = String(howMany(200, 1000)), KILL_SEED = String(randomInt(1e9)) } = process.env;
const WRITES = Number(KILL_WRITES);
const LANES = 8;
const WRITES_PER_KILL = 100;
const SECRET_KEY = "0123456789abcdef".repeat(4);
const sealer = createSealer([SECRET_KEY]);
const programs = postgresPrograms();

/** Events of a session to both endpoints; gives the deliveries. */
async function writeEvents(db: Db, principal: Principal, receiver: Receiver, count: number): Promise<string[]> {
  const session = someSession();
  const endpoints = ["/one", "/two"].map((path) => ({ url: receiver.url(path), secret: path }));
  for (const payload of threeEvents(session).slice(0, count)) {
    const event = { teamId: principal.teamId, payload, endpoints, isPreview: false };
    await db.transaction((tx) => enqueueWebhookEvent(tx, event, { sealer, now: new Date() }));
  }
  const rows = await db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.sessionId, session.id));
  return rows.map(({ id }) => id);
}

describe("the control plane killed at random moments of a mixed load of writes", () => {
  // Side by side: each waits a while for what is taken up again only after a time.
  it.concurrent.each(engines)(
    `loses nothing that it acknowledged, shows nothing half written and misses no webhook: ${WRITES} writes on %s`,
    async (engine) => {
      console.log(`kill-under-writes on ${engine}: KILL_WRITES=${WRITES} KILL_SEED=${KILL_SEED}`);
      const random = randomFrom(Number(KILL_SEED));
      const directory = temporaryDirectory("kill-writes");
      const [nats, receiver] = await Promise.all([startNats(), startReceiver()]);
      const postgres = engine === "postgres" && programs !== null ? await startPostgres(programs) : null;
      const bus = await connectNats({ url: nats.url, name: "test", log: silentLog });
      const open = (): Promise<Database> =>
        openDatabase({ url: postgres?.url ?? null, dataDirectory: directory.path, log: silentLog });
      let database = await open();
      const seeds: { principal: Principal; deliveries: string[] }[] = [];
      for (let lane = 0; lane < LANES; lane++) {
        const { principal } = await addTeam(database.db, { balanceMicros: OPENING_MICROS });
        seeds.push({
          principal: { ...principal, betaAccess: true },
          deliveries: await writeEvents(database.db, principal, receiver, 3),
        });
      }
      // PGlite is one process's at a time.
      if (engine === "pglite") await database.close();
      const controlPlane = new KilledControlPlane(bus, {
        ...{
          PARLEY_DATA_DIR: directory.path,
          PARLEY_SECRET_KEY: SECRET_KEY,
          PARLEY_OUTBOUND_ALLOW: receiver.host,
          NATS_URL: nats.url,
        },
        ...(postgres === null ? {} : { DATABASE_URL: postgres.url }),
      });
      const writeEvent = async (principal: Principal): Promise<string[]> => {
        const ids = await writeEvents(database.db, principal, receiver, 1);
        bus.publish(webhookWakeSubject, {});
        return ids;
      };
      const lanes = seeds.map(({ principal, deliveries }, index) => {
        const lane = new Lane({
          ...{ principal, controlPlane, bus, deliveries, random: randomFrom(Number(KILL_SEED) + 1 + index) },
          writeEvent: engine === "postgres" ? writeEvent : null,
        });
        lane.deliveries.push(...deliveries);
        return lane;
      });
      try {
        await controlPlane.ready();
        await runLoad(lanes, controlPlane, random);
        await settled(lanes, controlPlane);
        await controlPlane.end();
        if (engine === "pglite") database = await open();
        const sum = (what: keyof Lane["counts"]): number =>
          lanes.reduce((total, { counts }) => total + counts[what], 0);
        const receipts = receiver.receipts.map(({ headers }) => String(headers["x-parley-delivery"]));
        const reported = {
          acknowledged: sum("acknowledged"),
          unknown: sum("unknown"),
          refused: sum("refused"),
          kills: controlPlane.kills,
        };
        console.log(
          `kill-under-writes on ${engine}: ${JSON.stringify({ ...reported, deliveries: new Set(receipts).size, receipts: receipts.length })}`,
        );
        expect(lanes.flatMap(({ spoiled }) => spoiled)).toEqual([]);
        expect(await findBroken(database.db, lanes)).toEqual([]);
        expect(lanes.flatMap(({ deliveries }) => deliveries).filter((id) => !receipts.includes(id))).toEqual([]);
        expect(controlPlane.kills).toBe(Math.floor(WRITES / WRITES_PER_KILL));
        expect(sum("acknowledged")).toBeGreaterThan(WRITES * 0.7);
      } finally {
        await controlPlane.end().catch(() => undefined);
        await Promise.all([bus.close(), receiver.close(), database.close()]);
        await Promise.all([nats.stop(), postgres?.stop()]);
        directory.remove();
      }
    },
    300_000 + WRITES * 500,
  );
});

/** Each stretch of writes has one moment, anywhere in it, at which the process is killed. */
async function runLoad(lanes: readonly Lane[], controlPlane: KilledControlPlane, random: () => number): Promise<void> {
  let begun = 0;
  let killAt = Math.floor(random() * WRITES_PER_KILL);
  let killing: Promise<void> = Promise.resolve();
  const run = async (lane: Lane): Promise<void> => {
    while (begun < WRITES) {
      begun++;
      if (begun > killAt) {
        const stretch = Math.floor(killAt / WRITES_PER_KILL) + 1;
        killAt = stretch * WRITES_PER_KILL + Math.floor(random() * WRITES_PER_KILL);
        const delayMs = random() * 30;
        killing = killing
          .then(() => new Promise((resolve) => setTimeout(resolve, delayMs)))
          .then(() => controlPlane.kill());
      }
      await lane.write();
    }
  };
  await Promise.all(lanes.map(run));
  await killing;
}

/** Waits until what may take its time has ended: deliveries and the booking of usage. */
async function settled(lanes: readonly Lane[], controlPlane: KilledControlPlane): Promise<void> {
  for (const { principal, usageIds } of lanes) {
    const pending = {
      method: "GET",
      path: "/v1/agent/webhook-deliveries",
      query: "status=pending",
      headers: {},
      body: new Uint8Array(0),
      bodyObject: null,
      principal,
    };
    const isDelivered = async (): Promise<boolean> => {
      const answer = await controlPlane.ask<ForwardedResponse>(controlSubjects.http, pending);
      return (
        (JSON.parse(Buffer.from(answer?.body ?? "{}").toString()) as { deliveries?: unknown[] }).deliveries?.length ===
        0
      );
    };
    const isBooked = async (): Promise<boolean> => {
      const reply = await controlPlane.ask<Reply<CreditReply>>(controlSubjects.credit, {
        action: "show",
        teamId: principal.teamId,
      });
      return (
        reply?.ok === true && Math.round(Number(reply.value.balances?.spent) * 1e6) === usageIds.length * USAGE_MICROS
      );
    };
    await until(isDelivered, { withinMs: 120_000, what: "every delivery to end" });
    await until(isBooked, { withinMs: 120_000, what: "all usage to be booked" });
  }
}
