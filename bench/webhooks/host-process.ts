import { setTimeout as delay } from "node:timers/promises";
import { count, eq } from "drizzle-orm";
import { pino } from "pino";
import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import type { Db } from "#control-plane/database/database";
import { openDatabase } from "#control-plane/database/open";
import { teams } from "#control-plane/database/schema";
import { enqueueWebhookEvent } from "#control-plane/webhooks/enqueue";
import { callEnded } from "#control-plane/webhooks/events";
import { startWebhooks } from "#control-plane/webhooks/start";
import { webhookDeliveries } from "#control-plane/webhooks/tables";
import { webhookWakeSubject } from "#protocol/webhooks";
import type { HostReport, HostTask } from "./messages.js";

// The deliverer, a process of its own: writes events on schedule, whatever becomes of them, and delivers them as a
// control plane does.

/** After the last event healthy deliveries get this long. */
const TAIL_MS = 3000;
const log = pino({ level: "error" });
const sealer = createSealer(["benchmark ".repeat(4)]);
const now = (): Date => new Date();

async function run(task: HostTask): Promise<HostReport> {
  const database = await openDatabase({ url: task.databaseUrl, dataDirectory: task.dataDirectory, log });
  const { db } = database;
  const bus = await connectNats({ url: task.natsUrl, name: "bench", log });
  const outbound = createOutbound({ allow: [task.allow], log });
  const teamId = newIdentifier();
  await db
    .insert(teams)
    .values({
      id: teamId,
      name: "bench",
      betaAccess: true,
      maxConcurrentStreams: 0,
      createdAt: now(),
      updatedAt: now(),
    });
  const webhooks = startWebhooks({ bus, clock: systemClock, db, log, outbound, sealer, now });
  const before = process.cpuUsage();
  const [startMs, events] = [Date.now() + 500, Math.floor((task.durationMs / 1000) * task.eventsPerSecond)];
  let writerLateMs = 0;
  const writing: Promise<void>[] = [];
  for (let event = 0; event < events; event++) {
    const dueMs = startMs + (event * 1000) / task.eventsPerSecond;
    await delay(Math.max(0, dueMs - Date.now()));
    writerLateMs = Math.max(writerLateMs, Date.now() - dueMs);
    const agent = event % task.agents.length;
    const endpoints = task.agents[agent]?.endpoints ?? [];
    writing.push(
      write(db, teamId, { agent: String(agent), dueMs, endpoints }).then(() => bus.publish(webhookWakeSubject, {})),
    );
  }
  await Promise.all(writing);
  await delay(TAIL_MS);
  const used = process.cpuUsage(before);
  const processorMs = (used.user + used.system) / 1000;
  const processorShare = processorMs / (Date.now() - startMs);
  const rows = await db
    .select({ status: webhookDeliveries.status, total: count() })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.teamId, teamId))
    .groupBy(webhookDeliveries.status);
  webhooks.stop();
  return {
    events,
    writerLateMs,
    processorShare,
    processorMs,
    statuses: Object.fromEntries(rows.map(({ status, total }) => [status, total])),
  };
}

async function write(
  db: Db,
  teamId: string,
  event: { agent: string; dueMs: number; endpoints: string[] },
): Promise<void> {
  const session = {
    ...{
      id: newIdentifier(),
      agentId: event.agent,
      branchId: null,
      source: "api",
      status: "completed",
      direction: "inbound" as const,
    },
    ...{
      dialStatus: null,
      answeredBy: null,
      conversationStartedAt: new Date(event.dueMs),
      conversationEndedAt: new Date(event.dueMs),
    },
    ...{ endUserId: null, metadata: { due_ms: event.dueMs }, agentName: "bench", configHash: "bench" },
  };
  const payload = callEnded(session, "hangup");
  const endpoints = event.endpoints.map((url) => ({ url, secret: "benchmark secret" }));
  await db.transaction((tx) =>
    enqueueWebhookEvent(tx, { teamId, payload, endpoints, isPreview: false }, { sealer, now: new Date() }),
  );
}

process.once("message", (task: HostTask) => {
  run(task).then(
    (report) => process.send?.(report, () => process.exit(0)),
    (error: unknown) => {
      log.fatal({ err: error }, "the run failed");
      process.exit(1);
    },
  );
});
