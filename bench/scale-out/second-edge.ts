import { loadConfig } from "#common/config/config";
import { launchRole } from "#launcher/role-process";
import { findFreePort } from "#launcher/servers";
import type { TestCluster } from "#test/harness/cluster";

/** An edge beside the one of a cluster. */
export interface SecondEdge {
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** The launcher starts one edge on a machine; this starts another on the same bus, as another machine would. */
export async function startSecondEdge(cluster: TestCluster, settings: Record<string, string>): Promise<SecondEdge> {
  const port = await findFreePort();
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  const edge = await launchRole({
    role: "edge",
    distDirectory: new URL("../..", import.meta.url).pathname,
    environment: {
      ...{ PATH, HOME, LANG, TMPDIR },
      ...settings,
      NATS_URL: cluster.natsUrl,
      REDIS_URL: cluster.redisUrl,
      PORT: String(port),
      HOST: loadConfig({}).HOST,
      PARLEY_DATA_DIR: cluster.dataDirectory,
      PARLEY_API_KEY: cluster.apiKey,
      PARLEY_MEMBER_ID: "edge-second",
    },
    sink: () => undefined,
  });
  await edge.ready;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: edge.pid,
    stop: async () => {
      edge.signal("SIGTERM");
      await edge.ended;
    },
  };
}
