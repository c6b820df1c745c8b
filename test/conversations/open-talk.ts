import type { SessionDetail } from "#protocol/agents/session";
import { wavFile } from "#audio/testing/wav-file";
import type { ServiceAccess } from "../harness/cluster.js";
import { speech } from "../harness/http-speech.js";
import { until } from "../harness/processes.js";
import { RtcCaller } from "../agents/rtc-caller.js";

const RATE = 16_000;

/** Calls the API of a cluster with its key; gives the body of an answer that must be a success. */
export async function call<T>(
  cluster: ServiceAccess,
  method: string,
  path: string,
  body?: object,
  signal: AbortSignal | null = null,
): Promise<T> {
  const response = await fetch(`${cluster.baseUrl}${path}`, {
    method,
    signal,
    headers: {
      authorization: `Bearer ${cluster.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was refused with ${response.status}: ${text}`);
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Makes an agent with this configuration and publishes it; gives its id. */
export async function publishAgent(cluster: ServiceAccess, config: object): Promise<string> {
  const { agent_id: agentId } = await call<{ agent_id: string }>(cluster, "POST", "/v1/agent/agents", {
    name: "Test agent",
    config,
  });
  await call(cluster, "POST", `/v1/agent/agents/${agentId}/publish`, {});
  return agentId;
}

/** One conversation, from the caller's side. */
export interface Talk {
  sessionId: string;
  caller: RtcCaller;
  /**
   * Says a sentence with one of the service's voices, and two seconds of silence after it; gives when the sentence was
   * over (`performance.now()`).
   */
  say(text: string): Promise<{ endedAtMs: number }>;
  type(text: string): Promise<void>;
  /** Waits until the agent has been heard saying these words, as its transcripts tell. */
  untilSaid(words: string, withinMs?: number): Promise<void>;
  /** What the agent has been heard saying so far, one line for each transcript. */
  said(): string;
  /** What a recognizer hears in what the caller heard since `fromMs` (`performance.now()`). */
  recognizedWords(fromMs: number): Promise<string>;
  session(): Promise<SessionDetail>;
}

/** Creates a session of an agent and joins it, with an open microphone or none. The caller leaves by `caller.leave`. */
export async function openTalk(
  cluster: ServiceAccess,
  agentId: string,
  { hasMicrophone = true }: { hasMicrophone?: boolean } = {},
): Promise<Talk> {
  const created = await call<{ session_id: string; livekit_url: string; token: string }>(
    cluster,
    "POST",
    "/v1/agent/sessions",
    { agent_id: agentId },
  );
  const caller = await RtcCaller.join(created.livekit_url, created.token);
  if (hasMicrophone) await caller.openMicrophone();
  const said = (): string =>
    caller.transcripts
      .filter(({ identity }) => identity !== caller.identity)
      .map(({ text }) => text)
      .join("\n");
  return {
    sessionId: created.session_id,
    caller,
    said,
    async say(text) {
      const pcm = await speech(cluster, { text, format: "pcm", sample_rate: RATE });
      const words = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength));
      const samples = new Int16Array(words.length + 2 * RATE);
      samples.set(words);
      const fromMs = performance.now();
      await caller.speak(samples);
      return { endedAtMs: fromMs + (words.length / RATE) * 1000 };
    },
    type: (text) => caller.send({ type: "user.message", text }),
    untilSaid: (words, withinMs = 15_000) =>
      until(() => said().includes(words), { withinMs, what: `the agent saying "${words}"` }).catch((error: unknown) => {
        throw new Error(`it said: ${said()}`, { cause: error });
      }),
    async recognizedWords(fromMs) {
      const frames = caller.received.filter(({ atMs }) => atMs >= fromMs).map(({ samples }) => samples);
      return await recognize(cluster, Int16Array.from(frames.flatMap((frame) => [...frame])));
    },
    session: () => call<SessionDetail>(cluster, "GET", `/v1/agent/sessions/${created.session_id}`),
  };
}

/** What the cluster's recognizer makes of samples, in lower case. */
export async function recognize(cluster: ServiceAccess, samples: Int16Array, sampleRate = RATE): Promise<string> {
  const wav = wavFile({ sampleRate, channels: 1, bits: 16 }, samples.length, (at) => (samples[at] ?? 0) / 32768);
  const form = new FormData();
  form.append("audio", new Blob([new Uint8Array(wav)]), "heard.wav");
  form.append("numbers", "words");
  const answer = await fetch(`${cluster.baseUrl}/v1/asr`, {
    method: "POST",
    headers: { authorization: `Bearer ${cluster.apiKey}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`recognition was refused with ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { text: string }).text.toLowerCase();
}
