import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import type { TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { type RuntimeStandIn, startRuntime } from "../sessions/runtime.js";

/** A runtime that takes every session that is begun, holds it in no room, and ends it when it is told to. */
export async function holdSessions(cluster: Pick<TestCluster, "natsUrl">): Promise<{ stop(): Promise<void> }> {
  const bus = await connectNats({ url: cluster.natsUrl, name: "fuzz", log: createLogger("fuzz", "fatal") });
  const runtime: RuntimeStandIn = await startRuntime(bus, { places: 1_000_000 });
  runtime.onEnd = ({ sessionId }) => runtime.write(sessionId, { type: "ended", reason: "requested", detail: null });
  return {
    async stop() {
      runtime.kill();
      await bus.close();
    },
  };
}

/** Makes an agent that sessions begin with; gives its id once one has begun. */
export async function publishedAgent({ baseUrl, apiKey }: Pick<TestCluster, "baseUrl" | "apiKey">): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${baseUrl}/v1/agent${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was refused with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const agentId = String((await post("/agents", { name: "Fuzz" }))["agent_id"]);
  await post(`/agents/${agentId}/publish`, {});
  // The control plane has heard of the runtime, and of models that recognize and speak, once it begins a session.
  const begins = (): Promise<boolean> =>
    post("/sessions", { agent_id: agentId }).then(
      () => true,
      () => false,
    );
  await until(begins, { withinMs: 60_000, what: "a session to begin" });
  return agentId;
}
