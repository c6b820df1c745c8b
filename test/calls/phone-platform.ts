import { setTimeout as delay } from "node:timers/promises";
import type { SessionDetail } from "#protocol/agents/session";
import {
  type Answer,
  type ScriptedEndpoint,
  type ScriptedRequest,
  startScriptedEndpoint,
} from "#agents/model/testing/scripted-endpoint";
import { call, publishAgent, recognize } from "../conversations/open-talk.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { speech } from "../harness/http-speech.js";
import { until } from "../harness/processes.js";
import {
  type PhoneNetwork,
  type SeparatePhoneNetwork,
  startPhoneNetwork,
  startSeparatePhoneNetwork,
} from "../sip/phone-network.js";
import type { PhoneCall } from "../sip/telephone/phone-call.js";
import { startWebhookRelay, type WebhookRelay } from "./webhook-relay.js";

/** Of telephone audio, Hz. */
const RATE = 8000;
export const NUMBER = "+4930123456";

/** Of whom the agent's callers may be transferred to; the keys that ask for them come first. */
const transferKeys = [
  ["1#", "Sales"],
  ["2#", "Doctor"],
  ["3#", "Chief"],
] as const;
/** Who is asked whether they take a caller, and who is not. */
export const DOCTOR = "+4930200002";
export const CHIEF = "+4930200003";
export const SALES = "+4930200001";

/** Answers by what the caller said or pressed last. */
function answerTo({ messages, response_format: format }: ScriptedRequest): Answer {
  const done = { finish: "stop" } as const;
  if (format !== undefined) return [{ text: JSON.stringify({ summary: "They talked." }) }, done];
  const last = messages.at(-1);
  const words = (last?.role === "user" ? last.content : "").toLowerCase();
  if (words.includes("answering machine has answered"))
    return [{ text: words.includes("invoice") ? "Your invoice is due on Friday." : "I forgot why." }, done];
  const destination = transferKeys.find(([keys]) => words.includes(`[keypad: ${keys}]`))?.[1];
  if (destination !== undefined) {
    const args = JSON.stringify({ destination, summary: "Ann asks about tickets." });
    return [{ text: "Just a moment." }, { call: { name: "transfer_call", arguments: args } }, { finish: "tool_calls" }];
  }
  const result = messages.findLast(({ role }) => role === "tool")?.content;
  if (words.includes("has finished") && result !== undefined)
    return [{ text: result?.includes("busy") === true ? "They are busy." : "They do not answer." }, done];
  if (words.includes("[keypad: 42#]")) return [{ text: "You pressed forty two." }, done];
  if (words.includes("bye"))
    return [{ text: "Goodbye then." }, { call: { name: "hang_up_call", arguments: "{}" } }, { finish: "tool_calls" }];
  return [{ text: "We open at nine in the morning." }, done];
}

/** A cluster whose agent has a telephone number, and everybody else's telephones. */
export interface PhonePlatform<N extends AnyNetwork = SeparatePhoneNetwork> {
  cluster: TestCluster;
  network: N;
  /** Between the LiveKit server and the cluster. */
  webhook: WebhookRelay;
  agentId: string;
  numberId: string;
  /** Has the agent, or another one, call a number; gives the session's id. */
  dial(to: string, agentId?: string): Promise<string>;
  session(sessionId: string): Promise<SessionDetail>;
  /** The id of the session of the call that came in last. */
  newestInbound(): Promise<string>;
  sessionWhen(
    sessionId: string,
    isWanted: (session: SessionDetail) => boolean,
    what: string,
    withinMs?: number,
  ): Promise<SessionDetail>;
  /** The newest call that came to a number of the carrier. */
  callTo(number: string): Promise<PhoneCall>;
  /** A sentence as a telephone carries it, spoken by the cluster. */
  spoken(text: string): Promise<Int16Array>;
  /** Says a sentence into a telephone, and a second and a half of silence. */
  say(phone: PhoneCall, text: string): Promise<void>;
  /** Waits until a recognizer hears such words in what a telephone received after `fromMs`. */
  untilRecognized(phone: PhoneCall, words: RegExp, fromMs?: number, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

type AnyNetwork = PhoneNetwork<{ address: string }>;

/** One whose network is all in this process: only it can say of LiveKit SIP what it did. */
export type PlainPhonePlatform = PhonePlatform<PhoneNetwork>;

export const startPhonePlatform = (): Promise<PlainPhonePlatform> => startAround(startPhoneNetwork, { agents: 1 });

export type SeparatePhonePlatform = PhonePlatform;

/** One in which all but the telephones may be killed. Its agent tells `eventsUrl` of its calls. */
export const startSeparatePhonePlatform = (
  options: Pick<PlatformOptions, "dataDirectory" | "eventsUrl">,
): Promise<SeparatePhonePlatform> => startAround(startSeparatePhoneNetwork, { ...options, agents: 2 });

interface PlatformOptions {
  agents: number;
  /** Of the cluster, which stays when that is over. */
  dataDirectory?: string;
  eventsUrl?: string;
}

/** Whether nothing more happens to a session. */
export const sessionIsOver = ({ status }: Pick<SessionDetail, "status">): boolean =>
  status === "completed" || status === "failed" || status === "unknown";

async function startAround<N extends AnyNetwork>(
  start: (options: { webhookUrl: string }) => Promise<N>,
  { agents, dataDirectory, eventsUrl }: PlatformOptions,
): Promise<PhonePlatform<N>> {
  const webhook = await startWebhookRelay();
  const [network, endpoint]: [N, ScriptedEndpoint] = await Promise.all([
    start({ webhookUrl: webhook.url }),
    startScriptedEndpoint(answerTo),
  ]);
  const { liveKit, carrier } = network;
  const cluster = await startCluster({
    models: allModels,
    ...{ agents, ...(dataDirectory === undefined ? {} : { dataDirectory }) },
    readyMs: 150_000,
    settings: {
      ...{ LIVEKIT_URL: liveKit.url, LIVEKIT_API_KEY: liveKit.apiKey, LIVEKIT_API_SECRET: liveKit.apiSecret },
      ...{ LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "scripted", PARLEY_CALL_RING_SECONDS: "5" },
      PARLEY_OUTBOUND_ALLOW: "127.0.0.1",
    },
  });
  webhook.target = `${cluster.baseUrl}/livekit/events`;
  const agentId = await publishAgent(cluster, {
    prompt: {
      ...{ system_prompt: "You answer.", first_message_mode: "fixed" },
      first_message: "Hello, how can I help you?",
    },
    tools: { system_tools: { hang_up_call: true } },
    ...(eventsUrl === undefined ? {} : { webhooks: { post_call: [{ url: eventsUrl }] } }),
    conversation: {
      transfer_destinations: [
        { label: "Sales", phone_number: SALES, mode: "cold" },
        { label: "Doctor", phone_number: DOCTOR, mode: "warm", warm_connect: "confirm" },
        { label: "Chief", phone_number: CHIEF, mode: "warm", warm_connect: "direct" },
      ],
    },
  });
  const imported = await call<{ phone_number_id: string }>(cluster, "POST", "/v1/agent/phone-numbers", {
    ...{ provider: "sip", phone_number: NUMBER, agent_id: agentId, inbound_allowed_addresses: ["127.0.0.1"] },
    ...{ termination_uri: carrier.address, termination_transport: "udp" },
  });
  const spoken = async (text: string): Promise<Int16Array> => {
    const pcm = await speech(cluster, { text, format: "pcm", sample_rate: RATE });
    return new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength));
  };
  const session = (sessionId: string) => call<SessionDetail>(cluster, "GET", `/v1/agent/sessions/${sessionId}`);
  return {
    ...{ cluster, network, webhook, agentId, numberId: imported.phone_number_id, session },
    async dial(to, caller = agentId) {
      const body = { agent_id: caller, phone_number_id: imported.phone_number_id, to_number: to };
      return (await call<{ session_id: string }>(cluster, "POST", "/v1/agent/phone-calls", body)).session_id;
    },
    async sessionWhen(sessionId, isWanted, what, withinMs = 30_000) {
      let found = await session(sessionId);
      await until(
        async () => {
          found = await session(sessionId);
          return isWanted(found);
        },
        { withinMs, what },
      );
      return found;
    },
    async newestInbound() {
      const path = "/v1/agent/sessions?direction=inbound";
      const { sessions } = await call<{ sessions: { session_id: string }[] }>(cluster, "GET", path);
      return sessions[0]?.session_id ?? "";
    },
    async callTo(number) {
      const find = (): PhoneCall | undefined => carrier.calls.findLast(({ to }) => to === number);
      await until(() => find() !== undefined, { withinMs: 30_000, what: `a call to ${number}` });
      const found = find();
      if (found === undefined) throw new Error("no call");
      return found;
    },
    spoken,
    async say(phone, text) {
      const words = await spoken(text);
      const samples = new Int16Array(words.length + 1.5 * RATE);
      samples.set(words);
      await phone.play(samples);
    },
    async untilRecognized(phone, words, fromMs = 0, withinMs = 20_000) {
      let heard = "";
      await until(
        async () => {
          const frames = phone.received.filter(({ atMs }) => atMs >= fromMs).map(({ samples }) => samples);
          const samples = Int16Array.from(frames.flatMap((frame) => [...frame]));
          // It takes no less.
          // The recognizer is the agent's too, and may have no room for a moment.
          heard = samples.length < 1.5 * RATE ? "" : await recognize(cluster, samples, RATE).catch(String);
          if (!words.test(heard)) await delay(300);
          return words.test(heard);
        },
        { withinMs, what: `${words}` },
      ).catch((error: unknown) => {
        throw new Error(`it heard: ${heard}`, { cause: error });
      });
    },
    async stop() {
      await cluster.stop();
      await Promise.all([network.stop(), endpoint.close(), webhook.close()]);
    },
  };
}

/** Says a sentence until it is answered: on a machine with much else to do a few words may not come through. */
export async function askAloud(
  platform: Pick<PhonePlatform, "say">,
  phone: PhoneCall,
  sentence: string,
  answered: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await platform.say(phone, sentence);
    try {
      return await answered();
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** What both said, in order. */
export function textsOf({ items }: SessionDetail): string[] {
  return items.flatMap((item) => (item.type === "message" ? [`${item.role}: ${item.content}`] : []));
}
