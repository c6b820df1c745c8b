import { once } from "node:events";
import { Agent, get } from "node:http";
import { bytesToSamples } from "#audio/pcm";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { treeSeconds } from "../../processor-time.js";
import { type PartSeconds, readParts } from "../../slow-parts.js";
import { type HttpAnswer, post } from "./over-http.js";
import type { Utterance } from "./symbols.js";
import { FIRST_AUDIO_MS, type VoiceClient } from "./way.js";

/** Of the rates of `/v1/tts` the nearest to the voice's own 22,050 Hz: resampling lies in its times. */
const SAMPLE_RATE = 24_000;
/** All roles start on one core. */
const READY_MS = 180_000;
/**
 * The edge closes connections that idle, as this one does while others speak; an older one than this is not relied on.
 */
const MOST_IDLE_MS = 3000;

/** A cluster that is asked over HTTP, and what else is known of it. */
export interface WholeService extends VoiceClient {
  complaints: TestCluster["complaints"];
  /** Where its processor time went so far. */
  parts(): PartSeconds;
}

/** `/v1/tts` with everything behind it, over warm connections. */
export async function startWholeService({
  workers,
  connections,
}: {
  workers: number;
  connections: number;
}): Promise<WholeService> {
  const cluster = await startCluster({ workers, models: ["parley-en"], readyMs: READY_MS });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let lastUsedMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  let reconnected: Promise<void> = Promise.resolve();
  const ask = async ({ text }: Utterance): Promise<HttpAnswer> => {
    // It breaks off what is under way.
    if (inFlight === 0 && performance.now() - lastUsedMs > MOST_IDLE_MS)
      reconnected = reconnect(agent, cluster.baseUrl);
    inFlight++;
    await reconnected;
    const answer = await post({
      url: `${cluster.baseUrl}/v1/tts`,
      headers: { authorization: `Bearer ${cluster.apiKey}`, model: "s2.1-pro" },
      body: { text, format: "pcm", sample_rate: SAMPLE_RATE },
      firstBytes: (SAMPLE_RATE * 2 * FIRST_AUDIO_MS) / 1000,
      agent,
    });
    lastUsedMs = performance.now();
    inFlight--;
    return answer;
  };
  return {
    name: "Parley's /v1/tts",
    sampleRate: SAMPLE_RATE,
    complaints: cluster.complaints,
    parts: () => readParts(cluster),
    async speak(utterance) {
      const { bytes, firstMs, totalMs } = await ask(utterance);
      return { firstMs, totalMs, audioMs: (bytes.length / 2 / SAMPLE_RATE) * 1000 };
    },
    async record(utterance) {
      return bytesToSamples((await ask(utterance)).bytes);
    },
    processorSeconds: () =>
      cluster.processes().reduce((sum, { pid }) => sum + (pid === null ? 0 : treeSeconds(pid)), 0),
    async stop() {
      agent.destroy();
      await cluster.stop();
    },
  };
}

/** Leaves a warm connection in the agent. */
async function reconnect(agent: Agent, baseUrl: string): Promise<void> {
  agent.destroy();
  const [answer] = await once(get(`${baseUrl}/health`, { agent }), "response");
  answer.resume();
  await once(answer, "end");
}
