import { controlSubjects, type KeysReply, type KeysRequest, type Reply } from "#protocol/bus/control";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import type { TestCluster } from "../harness/cluster.js";

/** Makes a key of the cluster's team that covers these scopes only. */
export async function makeLimitedKey({ natsUrl }: TestCluster, scopes: string[]): Promise<string> {
  const bus = await connectNats({ url: natsUrl, name: "test", log: createLogger("test", "fatal") });
  try {
    const request: KeysRequest = { action: "create", name: "limited", teamId: null, scopes, expiresInMs: null };
    const within = { timeoutMs: 10_000, dependency: "Keys" };
    const reply = await bus.request<Reply<KeysReply>>(controlSubjects.keys, request, within);
    if (!reply.ok || reply.value.key === null) throw new Error("no key was made");
    return reply.value.key;
  } finally {
    await bus.close();
  }
}
