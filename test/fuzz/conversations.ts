import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { silentPacket } from "#audio/encoding/opus-packets";
import type { RecordingEntity } from "#protocol/agents/recording";
import {
  encodeSegment,
  recordingEndName,
  recordingSegmentName,
  recordingSegmentsBucket,
} from "#protocol/bus/recording";
import type { TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { type RuntimeStandIn, startRuntime } from "../sessions/runtime.js";

type Target = Pick<TestCluster, "baseUrl" | "apiKey">;

/**
 * A runtime that takes every session that is begun and holds it in no room. Told to end one, it says that its caller
 * joined, spoke and left, and stores two seconds of its recording.
 */
export async function holdSessions(cluster: Pick<TestCluster, "natsUrl">): Promise<{ stop(): Promise<void> }> {
  const bus = await connectNats({ url: cluster.natsUrl, name: "fuzz", log: createLogger("fuzz", "fatal") });
  const runtime: RuntimeStandIn = await startRuntime(bus, { places: 1_000_000 });
  const attemptOf = (id: string): number => runtime.started.findLast(({ plan }) => plan.sessionId === id)?.attempt ?? 1;
  runtime.onEnd = ({ sessionId }) => {
    runtime.write(sessionId, { type: "caller-joined" });
    runtime.write(sessionId, { type: "caller-said", turnId: 1, text: "Good evening." });
    void storeRecording(bus, sessionId, attemptOf(sessionId)).finally(() =>
      runtime.write(sessionId, { type: "ended", reason: "requested", detail: null }),
    );
  };
  return {
    async stop() {
      runtime.kill();
      await bus.close();
    },
  };
}

async function storeRecording(bus: Bus, sessionId: string, attempt: number): Promise<void> {
  const track = Array.from({ length: 100 }, () => silentPacket);
  const segments = bus.objects(recordingSegmentsBucket);
  const segment = encodeSegment({ startFrame: 0, packets: { agent: track, user: track } });
  await segments.put(recordingSegmentName(sessionId, attempt, 0), segment);
  await segments.put(recordingEndName(sessionId, attempt), new Uint8Array(0));
}

async function ask(
  { baseUrl, apiKey }: Target,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${baseUrl}/v1/agent${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was refused with ${answer.status}: ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/**
 * Makes a public agent that sessions begin with, whose calls are told to `webhookUrl`; gives its id once one has begun.
 */
export async function publishedAgent(target: Target, webhookUrl: string): Promise<string> {
  const config = { webhooks: { post_call: [{ url: webhookUrl }] } };
  const agentId = String((await ask(target, "POST", "/agents", { name: "Fuzz", config }))["agent_id"]);
  const access = { public_enabled: true, allowed_origins: ["https://a.example", "https://shop.example"] };
  await ask(target, "PATCH", `/agents/${agentId}`, access);
  await ask(target, "POST", `/agents/${agentId}/publish`, {});
  // The control plane has heard of the runtime, and of models that recognize and speak, once it begins a session.
  const begins = (): Promise<boolean> =>
    ask(target, "POST", "/sessions", { agent_id: agentId }).then(
      () => true,
      () => false,
    );
  await until(begins, { withinMs: 60_000, what: "a session to begin" });
  return agentId;
}

/** Ids by the name of their placeholder, and the query that opens the recording's download. */
export interface PastWork {
  ids: Record<string, string>;
  download: string;
}

/**
 * What an agent's sessions and tests leave behind: a conversation that is over, with its recording, its analysis and
 * what webhooks were told of it, and a batch of tests.
 */
export async function makePastWork(target: Target, agentId: string): Promise<PastWork> {
  const test = { name: "Greets", test_type: "next_reply", conversation: [{ text: "Hi" }], expectation: "It greets." };
  const testId = String((await ask(target, "POST", "/tests", { ...test, agent_ids: [agentId] }))["test_id"]);
  const batch = await ask(target, "POST", `/agents/${agentId}/tests/run`, { test_ids: [testId] });
  const [run] = batch["runs"] as { run_id: string }[];
  const sessionId = String((await ask(target, "POST", "/sessions", { agent_id: agentId }))["session_id"]);
  await ask(target, "POST", `/sessions/${sessionId}/end`, {});
  let recording: RecordingEntity | null = null;
  await until(
    async () => {
      const shown = await ask(target, "GET", `/sessions/${sessionId}/recording`).catch(() => null);
      recording = shown as unknown as RecordingEntity | null;
      return recording?.status === "complete";
    },
    { withinMs: 60_000, what: "the recording of a session" },
  );
  const url = new URL((recording as RecordingEntity | null)?.tracks.find(({ role }) => role === "agent")?.url ?? "");
  let deliveryId = "";
  await until(
    async () => {
      const { deliveries } = await ask(target, "GET", "/webhook-deliveries");
      const list = deliveries as { delivery_id: string; status: string }[];
      deliveryId = list.find(({ status }) => status === "delivered")?.delivery_id ?? "";
      return deliveryId !== "";
    },
    { withinMs: 60_000, what: "a webhook to be told of the end" },
  );
  return {
    ids: {
      user_id: "self",
      agent_id: agentId,
      version_number: "1",
      session_id: sessionId,
      role: "agent",
      delivery_id: deliveryId,
      test_id: testId,
      batch_id: String(batch["batch_id"]),
      run_id: run?.run_id ?? "",
    },
    download: url.search.slice(1),
  };
}
