import type { Heartbeat } from "#protocol/bus/membership";
import { connectNats } from "#common/bus/nats";
import { closeBodyDecoder } from "#common/http/body-decoder";
import { systemClock } from "#common/clock";
import { unlessConnected } from "#common/lifecycle/probes";
import { type RoleContext, type RunningRole, runRole } from "#common/lifecycle/role";
import { createOutbound } from "#common/outbound/outbound";
import { openSealer } from "#common/secrets/secret-key";
import { followMembers, sendHeartbeats } from "#common/membership/heartbeat";
import { spansAreStored } from "#common/tracing/stored-spans";
import { testRunSettings } from "./agent-tests/settings.js";
import { DEVELOPMENT_TEAM_ID } from "./accounts/development.js";
import { recoverOpenUsage } from "./accounts/open-usage.js";
import { findSample } from "./agents/sample/seed-sample.js";
import { startAnalytics } from "./analytics/start.js";
import { openDatabase } from "./database/open.js";
import { closeIndexThread } from "./knowledge/indexer.js";
import { configuredPhones } from "./phone/configured.js";
import { startService } from "./service.js";
import { configuredSessions } from "./sessions/configured.js";
import { configuredStore } from "./storage/configured-store.js";
import { measureSamples } from "./voices/measurement.js";
import { askEdges } from "./voices/sample-questions.js";
import { transcribeSamples } from "./voices/transcription.js";
import { openControlTelemetry } from "./telemetry/control-telemetry.js";

const ROLE = "control-plane";

async function start(context: RoleContext): Promise<RunningRole> {
  const { config, log, metrics, tracing, id, epoch } = context;
  const sessions = configuredSessions(config, log);
  const [database, bus] = await Promise.all([
    openDatabase({ url: config.DATABASE_URL, dataDirectory: config.PARLEY_DATA_DIR, log }),
    connectNats({ url: config.NATS_URL ?? "nats://127.0.0.1:4222", name: id, log }),
  ]);
  const { db } = database;
  const telemetry = openControlTelemetry({ metrics, tracing, isConnected: () => bus.isConnected() });
  const analytics = startAnalytics({
    ...{ bus, db, log, telemetry, url: config.CLICKHOUSE_URL, dataDirectory: config.PARLEY_DATA_DIR },
    keepsSpans: spansAreStored(config),
  });
  const edges = askEdges(bus, log);
  const s3 = await configuredStore(config, log, telemetry.s3Request);
  const service = await startService({
    ...{ bus, clock: systemClock, db, log, testRuns: testRunSettings(config), s3 },
    snapshot: { copyDatabase: database.copyTo, dataDirectory: config.PARLEY_DATA_DIR, hasObjectStore: s3 !== null },
    ...{ measure: measureSamples(edges), transcribe: transcribeSamples(edges, log) },
    outbound: createOutbound({ allow: config.PARLEY_OUTBOUND_ALLOW, log }),
    sealer: openSealer({ secretKey: config.PARLEY_SECRET_KEY, dataDirectory: config.PARLEY_DATA_DIR }),
    ...{ now: () => new Date(), developmentKey: config.PARLEY_API_KEY, phones: configuredPhones(config) },
    sample: config.PARLEY_SAMPLE === "on" ? { port: config.PORT } : null,
    ...{ telemetry, modelFolders: config, sumUsage: analytics.sumUsage, readTrace: analytics.readTrace, ...sessions },
    ...{ requireRoom: () => database.requireRoom(), hasDatabaseAlone: database.engine === "pglite" },
  });
  const followed = followMembers({ bus, clock: systemClock, onChange: () => undefined });
  const recovery = recoverOpenUsage({ bus, clock: systemClock, db, log, members: followed.members });
  const describe = (): Heartbeat => ({ type: "heartbeat", role: ROLE, id, epoch, state: context.state() });
  const heartbeats = sendHeartbeats({ bus, clock: systemClock, describe });
  return {
    reasonsNotReady: unlessConnected(bus),
    async drain(deadlineMs) {
      for (const part of [recovery, followed]) part.stop();
      heartbeats.say();
      await service.drain(deadlineMs);
    },
    async stop() {
      for (const part of [recovery, followed]) part.stop();
      service.stop();
      heartbeats.say();
      heartbeats.stop();
      sessions.cache.close();
      await analytics.stop();
      await Promise.all([bus.close(), closeBodyDecoder(), closeIndexThread()]);
      await database.close();
    },
    facts: { database: database.engine, sample: await findSample(db, DEVELOPMENT_TEAM_ID) },
  };
}

runRole(ROLE, start);
