import { postgresPrograms, startPostgres } from "../../control-plane/postgres.js";
import { allModels, startCluster, type TestCluster, type TestClusterOptions } from "../../harness/cluster.js";
import { findFreePorts, startNats, startRedis } from "../../harness/servers.js";
import { type ChaosProxy, startChaosProxy } from "../chaos-proxy.js";
import type { Setting } from "./setting.js";
import { type SteppedClock, startSteppedClock } from "./stepped-clock.js";

export const proxiedServers = ["nats", "redis", "postgres", "clickhouse"] as const;
export type ProxiedServer = (typeof proxiedServers)[number];

/** A cluster whose faults are ours. */
export interface FaultCluster {
  cluster: TestCluster;
  proxies: Readonly<Record<ProxiedServer, ChaosProxy>>;
  /** Of the roles. */
  clock: SteppedClock;
  stop(): Promise<void>;
}

/** Two of what there may be two of; every stream is admitted: this is about repair, not about load. */
const options = {
  schedulers: 2,
  workers: 2,
  readyMs: 400_000,
  settings: { PARLEY_ADMISSION_WAIT_MS: "600000", PARLEY_SAMPLE: "off" },
};

export const startFaultCluster = (setting: Setting): Promise<FaultCluster> =>
  ({
    own: () => startOwn({}),
    listening: () => startOwn({ models: allModels }),
    remote: startRemote,
    stepped: startStepped,
  })[setting]();

/** Starts a cluster with servers of its own, in front of which no proxy can stand. */
async function startOwn(change: Pick<TestClusterOptions, "models">): Promise<FaultCluster> {
  const cluster = await startCluster({ ...options, ...change });
  return { cluster, proxies: none("proxies"), clock: none("clock"), stop: () => cluster.stop() };
}

/** What a cluster has not: whoever asks for it is told so. */
function none<Name extends "proxies" | "clock">(name: Name): FaultCluster[Name] {
  return new Proxy({} as FaultCluster[Name], {
    get: (_, property) => {
      throw new Error(`this cluster has no ${name} (${String(property)})`);
    },
  });
}

/** Starts a cluster that transcribes too, and whose roles have a clock that is ours. */
async function startStepped(): Promise<FaultCluster> {
  const clock = startSteppedClock();
  try {
    const cluster = await startCluster({ ...options, models: allModels, environment: { ...clock.environment } });
    return { cluster, proxies: none("proxies"), clock, stop: () => cluster.stop().finally(clock.remove) };
  } catch (error) {
    clock.remove();
    throw error;
  }
}

/**
 * Starts a cluster that reaches each of its servers through a proxy. Behind ClickHouse's nobody listens: it is what is
 * away that matters. Throws where no Postgres is installed.
 */
async function startRemote(): Promise<FaultCluster> {
  const programs = postgresPrograms();
  if (programs === null) throw new Error("these cells need a Postgres server: apt-get install -y postgresql");
  const [nats, redis, postgres] = await Promise.all([startNats(), startRedis(), startPostgres(programs)]);
  const ports = {
    nats: nats.port,
    redis: redis.port,
    postgres: Number(new URL(postgres.url).port),
    clickhouse: await findFreePorts(1),
  };
  const [toNats, toRedis, toPostgres, toClickHouse] = await Promise.all([
    startChaosProxy(ports.nats),
    startChaosProxy(ports.redis),
    startChaosProxy(ports.postgres),
    startChaosProxy(ports.clickhouse),
  ]);
  const proxies = { nats: toNats, redis: toRedis, postgres: toPostgres, clickhouse: toClickHouse };
  const stopServers = async (): Promise<void> => {
    await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
    await Promise.all([nats.stop(), redis.stop(), postgres.stop()]);
  };
  try {
    const cluster = await startCluster({
      ...options,
      settings: {
        ...options.settings,
        NATS_URL: toNats.urlOf(nats.url),
        REDIS_URL: toRedis.urlOf(redis.url),
        DATABASE_URL: toPostgres.urlOf(postgres.url),
        CLICKHOUSE_URL: `http://127.0.0.1:${toClickHouse.port}`,
      },
    });
    return { cluster, proxies, clock: none("clock"), stop: () => cluster.stop().finally(stopServers) };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
