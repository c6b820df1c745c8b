import { setTimeout as delay } from "node:timers/promises";
import { type SessionDetail, sessionDetail, type SessionToken, sessionToken } from "#protocol/agents/session";
import { allModels, startCluster, type TestCluster } from "#test/harness/cluster";
import { startLiveKit, type TestLiveKit } from "#test/harness/livekit";
import { processSeconds } from "../processor-time.js";
import { type PartSeconds, readParts } from "../slow-parts.js";
import { type ScriptedModel, startScriptedModel } from "./model.js";
import { replyTo } from "./script.js";

/** How long records of an ended session may take to be written. */
const RECORDED_WITHIN_MS = 20_000;

const READ_AGAIN_MS = 100;

/** How long the service may take to be ready, on a machine with much else to do. */
const READY_MS = 180_000;

/** The whole service as `npm start` runs it, its LiveKit server, and a language model that answers at once. */
export interface Service {
  cluster: TestCluster;
  livekit: TestLiveKit;
  model: ScriptedModel;
  /** Agents of the benchmark: eager, without a greeting. */
  agentId: string;
  createSession(): Promise<SessionToken>;
  /** A session once its records are whole; as it then is where it does not end in time. */
  endedSession(sessionId: string): Promise<SessionDetail>;
  /** Speaks a text as agents do; s16le at 16 kHz. */
  speak(text: string): Promise<Int16Array>;
  /** The words in a recording at 16 kHz. */
  recognize(wav: Uint8Array): Promise<string>;
  /** Where the processor time went so far. */
  parts(): PartSeconds;
  stop(): Promise<void>;
}

export const isOver = ({ status }: SessionDetail): boolean => status === "completed" || status === "failed";

export async function startService(workers: number): Promise<Service> {
  const livekit = await startLiveKit();
  const model = await startScriptedModel(replyTo);
  const cluster = await startCluster({
    models: allModels,
    workers,
    agents: 1,
    readyMs: READY_MS,
    settings: {
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: livekit.apiKey,
      LIVEKIT_API_SECRET: livekit.apiSecret,
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: "scripted",
    },
  });
  const request = requestsTo(cluster);
  const { agent_id: agentId } = await request<{ agent_id: string }>("POST", "/v1/agent/agents", {
    name: "Benchmark",
    config: {
      prompt: { system_prompt: "You answer.", first_message_mode: "off" },
      conversation: { eagerness: "eager", interruption_sensitivity: "balanced" },
      // The peer analyzes nothing.
      analysis: { summary: { enabled: false } },
    },
  });
  await request("POST", `/v1/agent/agents/${agentId}/publish`, {});
  return {
    ...{ cluster, livekit, model, agentId },
    createSession: async () => sessionToken.parse(await request("POST", "/v1/agent/sessions", { agent_id: agentId })),
    async endedSession(sessionId) {
      const read = async (): Promise<SessionDetail> =>
        sessionDetail.parse(await request("GET", `/v1/agent/sessions/${sessionId}`));
      const untilMs = performance.now() + RECORDED_WITHIN_MS;
      for (;;) {
        const session = await read();
        if (isOver(session) || performance.now() > untilMs) return session;
        await delay(READ_AGAIN_MS);
      }
    },
    async speak(text) {
      const body = { text, format: "pcm", sample_rate: 16_000, latency: "low" };
      const bytes = await (await post(cluster, "/v1/tts", JSON.stringify(body))).arrayBuffer();
      return new Int16Array(bytes);
    },
    async recognize(wav) {
      const form = new FormData();
      form.append("audio", new Blob([new Uint8Array(wav)]), "answer.wav");
      form.append("numbers", "words");
      return ((await (await post(cluster, "/v1/asr", form)).json()) as { text: string }).text;
    },
    parts: () => ({ ...readParts(cluster), LiveKit: processSeconds(livekit.pid()) }),
    async stop() {
      await cluster.stop();
      await Promise.all([livekit.stop(), model.close()]);
    },
  };
}

async function post(cluster: TestCluster, path: string, body: string | FormData): Promise<Response> {
  const headers = {
    authorization: `Bearer ${cluster.apiKey}`,
    ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
  };
  const response = await fetch(`${cluster.baseUrl}${path}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response;
}

function requestsTo(cluster: TestCluster) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
}
