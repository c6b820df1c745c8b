import { postgresPrograms, startPostgres } from "../../control-plane/postgres.js";
import { startCluster, type TestCluster } from "../../harness/cluster.js";
import { findFreePorts, startNats, startRedis } from "../../harness/servers.js";
import { type ChaosProxy, startChaosProxy } from "../chaos-proxy.js";

export const proxiedServers = ["nats", "redis", "postgres", "clickhouse"] as const;
export type ProxiedServer = (typeof proxiedServers)[number];

/** A cluster whose faults are ours. */
export interface FaultCluster {
  cluster: TestCluster;
  proxies: Readonly<Record<ProxiedServer, ChaosProxy>>;
  stop(): Promise<void>;
}

/** Two of what there may be two of; every stream is admitted: this is about repair, not about load. */
const options = {
  schedulers: 2,
  workers: 2,
  readyMs: 400_000,
  settings: { PARLEY_ADMISSION_WAIT_MS: "600000", PARLEY_SAMPLE: "off" },
};

/** Starts a cluster with servers of its own, in front of which no proxy can stand. */
export async function startOwn(): Promise<FaultCluster> {
  const cluster = await startCluster(options);
  const none = new Proxy({} as FaultCluster["proxies"], {
    get: (_, server) => {
      throw new Error(`no proxy stands in front of ${String(server)} here`);
    },
  });
  return { cluster, proxies: none, stop: () => cluster.stop() };
}

/**
 * Starts a cluster that reaches each of its servers through a proxy. Behind ClickHouse's nobody listens: it is what is
 * away that matters. Throws where no Postgres is installed.
 */
export async function startRemote(): Promise<FaultCluster> {
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
    return { cluster, proxies, stop: () => cluster.stop().finally(stopServers) };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
