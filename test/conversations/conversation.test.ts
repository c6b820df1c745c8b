import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  type ScriptedEndpoint,
  type ScriptedRequest,
  startScriptedEndpoint,
} from "#agents/model/testing/scripted-endpoint";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { until } from "../harness/processes.js";
import { recordsOf } from "../survival/one-kill.js";
import { call, publishAgent, recognize, type Talk } from "./open-talk.js";
import { loudnessOf, type Recorded, recordedOf, replyGapsOf } from "./recorded.js";
import { startTalk } from "./talk.js";

const done = { finish: "stop" } as const;
const story = [
  "Once there was a small house on a hill. ",
  "An old man lived there with seven goats. ",
  "Every morning he walked to the river for water. ",
  "One day the river was gone. ",
  "He followed the dry bed up into the mountains, and there he found a sleeping giant.",
];

/** Answers by what the caller said last; once a call is over, with a summary of it. */
function answerTo({ messages, response_format: format }: ScriptedRequest): Answer {
  if (format !== undefined) return [{ text: JSON.stringify({ summary: "They talked." }) }, done];
  const last = messages.at(-1);
  if (last?.role === "tool") return [{ text: `The weather report says: ${last.content}` }, done];
  const words = (last?.role === "user" ? last.content : "").toLowerCase();
  if (words.includes("weather"))
    return [{ call: { name: "get_weather", arguments: '{"city":"Rome"}' } }, { finish: "tool_calls" }];
  if (words.includes("story")) return [...story.map((text) => ({ text })), done];
  if (words.includes("bye"))
    return [{ text: "Goodbye then." }, { call: { name: "hang_up_call", arguments: "{}" } }, { finish: "tool_calls" }];
  return [{ text: "We open at nine " }, { text: "in the morning." }, done];
}

/** Says a sentence until it is answered: on a machine with much else to do a few words may not come through. */
async function askAloud(talk: Talk, sentence: string, answered: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await talk.say(sentence);
    try {
      return await answered();
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

describe.skipIf(!canRunLiveKit)("a conversation with an agent", () => {
  let livekit: TestLiveKit;
  let endpoint: ScriptedEndpoint;
  let weather: ReturnType<typeof createServer>;
  let cluster: TestCluster;
  let agentId: string;
  const asked: string[] = [];

  beforeAll(async () => {
    livekit = await startLiveKit();
    endpoint = await startScriptedEndpoint(answerTo);
    weather = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("content-type", "text/plain").end("sunny and warm");
    }).listen(0, "127.0.0.1");
    await once(weather, "listening");
    const weatherUrl = `http://127.0.0.1:${(weather.address() as AddressInfo).port}`;
    cluster = await startCluster({
      models: allModels,
      agents: 2,
      settings: {
        LIVEKIT_URL: livekit.url,
        LIVEKIT_API_KEY: livekit.apiKey,
        LIVEKIT_API_SECRET: livekit.apiSecret,
        LLM_BASE_URL: endpoint.baseUrl,
        LLM_MODEL: "scripted",
        PARLEY_OUTBOUND_ALLOW: new URL(weatherUrl).host,
        // A runtime that is stopped waits for the next one.
        PARLEY_DRAIN_MS: "15000",
      },
    });
    const { tool_id: toolId } = await call<{ tool_id: string }>(cluster, "POST", "/v1/agent/tools", {
      name: "get_weather",
      description: "Tells the weather of a city.",
      method: "GET",
      url: `${weatherUrl}/report?city={{city}}`,
      arguments: [{ name: "city", description: "Name of the city" }],
    });
    agentId = await publishAgent(cluster, {
      prompt: {
        system_prompt: "You answer.",
        first_message_mode: "fixed",
        first_message: "Hello, how can I help you?",
      },
      conversation: { eagerness: "balanced" },
      tools: { tool_ids: [toolId], system_tools: { hang_up_call: true } },
    });
  }, LIVEKIT_BUILD_MS);

  afterAll(async () => {
    await cluster.stop();
    await Promise.all([livekit.stop(), endpoint.close(), new Promise((resolve) => weather.close(resolve))]);
    await dispose();
  });

  it("greets, hears a question, answers it aloud, and ends when the agent hangs up", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    const askedAtMs = performance.now();
    await askAloud(talk, "When do you open?", () => talk.untilSaid("We open at nine in the morning.", 8000));
    expect(await talk.recognizedWords(askedAtMs)).toMatch(/nine in the morning/);
    await askAloud(talk, "Okay, goodbye.", () =>
      until(() => talk.caller.disconnected !== null, { withinMs: 8000, what: "the end of the room" }),
    );
    await expect.poll(async () => (await talk.session()).status, { timeout: 10_000 }).toBe("completed");
    const session = await talk.session();
    expect(session).toMatchObject({ ended_reason: "agent_hung_up", responder: "scripted" });
    const texts = session.items.flatMap((item) => (item.type === "message" ? [`${item.role}: ${item.content}`] : []));
    expect(texts[0]).toBe("assistant: Hello, how can I help you?");
    expect(texts[1]).toMatch(/^user: \w+/);
    expect(texts).toContain("assistant: We open at nine in the morning.");
    expect(texts.slice(-2)).toEqual([expect.stringMatching(/^user: .*bye/i), "assistant: Goodbye then."]);
    expect(session.turn_latencies[0]?.total_ms).toBeGreaterThan(0);
    await expect.poll(async () => (await talk.session()).analysis?.status, { timeout: 15_000 }).toBe("completed");
    expect((await talk.session()).analysis).toMatchObject({ summary: "They talked.", model: "scripted" });
    expect(endpoint.problems).toEqual([]);
    const recorded = await recordedOf(cluster, talk.sessionId);
    expect(recorded.entity.status).toBe("complete");
    expect(await recognize(cluster, recorded.samples.agent)).toMatch(/help.*morning/s);
    expect(await recognize(cluster, recorded.samples.user)).toMatch(/when|open|bye/);
    // The runtime measured by its clock how long the caller waited: the tracks say the same.
    const gaps = replyGapsOf(recorded);
    for (const { total_ms } of session.turn_latencies)
      expect(gaps.some(({ leastMs, mostMs }) => total_ms >= leastMs - 100 && total_ms <= mostMs + 100)).toBe(true);
    await expectDownloads(recorded);
  }, 120_000);

  /** What its address gives to whom, and what a changed one gives. */
  async function expectDownloads({ urls }: Recorded): Promise<void> {
    const whole = Buffer.from(await (await fetch(urls.user)).arrayBuffer());
    const part = await fetch(urls.user, { headers: { range: "bytes=100-299", origin: "https://console.example" } });
    expect([part.status, part.headers.get("content-range"), part.headers.get("access-control-allow-origin")]).toEqual([
      206,
      `bytes 100-299/${whole.length}`,
      "*",
    ]);
    expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), whole.subarray(100, 300))).toBe(0);
    expect(part.headers.get("content-type")).toBe("audio/ogg");
    for (const changed of [
      urls.user.replace("/user?", "/agent?"),
      urls.user.slice(0, -1),
      urls.user.split("?")[0] ?? "",
    ])
      expect((await fetch(changed)).status).toBe(404);
  }

  it("answers typed messages, calls a tool, and tells the caller's program of it", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    await talk.type("What is the weather in Rome?");
    await talk.untilSaid("The weather report says: sunny and warm");
    expect(asked).toContain("/report?city=Rome");
    expect(talk.caller.events.map(({ type }) => type)).toEqual(["tool.started", "tool.completed"]);
    await talk.caller.leave();
    await expect.poll(async () => (await talk.session()).status, { timeout: 10_000 }).toBe("completed");
    const kinds = (await talk.session()).items.map(({ type }) => type);
    expect(kinds).toEqual(["message", "message", "tool_call", "tool_result", "message"]);
    expect((await talk.session()).ended_reason).toBe("caller_left");
  }, 60_000);

  it("answers in text alone where a typed message asks for it, and speaks none of it", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    await expect.poll(() => talk.caller.states.at(-1), { timeout: 10_000 }).toBe("listening");
    const [askedAtMs, statesBefore] = [performance.now(), talk.caller.states.length];
    await talk.caller.send({ type: "user.message", text: "When do you open?", audio: false });
    await talk.untilSaid("We open at nine in the morning.", 3000);
    await talk.caller.send({ type: "user.message", text: "Tell me a story.", audio: false });
    await talk.untilSaid("sleeping giant", 3000);
    const silence = talk.caller.received.filter(({ atMs }) => atMs >= askedAtMs).map(({ samples }) => samples);
    expect(Math.max(0, ...silence.flatMap((frame) => [...frame]).map(Math.abs))).toBeLessThan(64);
    await talk.type("When do you open?");
    await until(() => talk.caller.received.at(-1)?.samples.some((sample) => Math.abs(sample) > 1000) === true, {
      withinMs: 10_000,
      what: "the agent's voice",
    });
    const states = talk.caller.states.slice(statesBefore);
    expect(states).toEqual(["thinking", "listening", "thinking", "listening", "thinking", "speaking"]);
    await talk.caller.leave();
    await expect.poll(async () => (await talk.session()).status, { timeout: 10_000 }).toBe("completed");
    const { items, turn_latencies: latencies } = await talk.session();
    const texts = items.flatMap((item) => (item.type === "message" ? [item.content] : []));
    expect(texts.slice(2, 5)).toEqual(["We open at nine in the morning.", "Tell me a story.", story.join("")]);
    expect(latencies.map(({ first_audio_ms }) => first_audio_ms === null)).toEqual([true, true, false]);
  }, 60_000);

  it("falls silent when the caller speaks, and remembers only what was heard", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    await talk.type("Tell me a story.");
    await talk.untilSaid("small house");
    await askAloud(talk, "Stop please, when do you open?", () => talk.untilSaid("We open at nine", 8000));
    await talk.caller.leave();
    await expect.poll(async () => (await talk.session()).status, { timeout: 10_000 }).toBe("completed");
    const { items, interrupted_turns } = await talk.session();
    const told = items.flatMap((item) => (item.type === "message" ? [item.content] : []))[2] ?? "";
    expect(interrupted_turns).toContain(1);
    expect(story.join("").startsWith(told.trim())).toBe(true);
    expect(told.length).toBeLessThan(story.join("").length - 40);
    const later = endpoint.requests.findLast(({ body }) => body.response_format === undefined)?.body.messages ?? [];
    expect(later.some(({ role, content }) => role === "assistant" && content?.includes("sleeping giant"))).toBe(false);
  }, 60_000);

  it("goes on in the same room when its runtime is killed in the middle of a sentence", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    const startedAtMs = performance.now();
    await talk.type("Tell me a story.");
    await talk.untilSaid("seven goats");
    const holder = await holderOf(talk.sessionId);
    expect(cluster.kill(holder)).toBe(true);
    await talk.untilSaid("sleeping giant", 30_000);
    expect(talk.caller.disconnected).toBeNull();
    const heard = await talk.recognizedWords(startedAtMs);
    for (const word of ["house", "morning", "river", "giant"]) expect(heard).toContain(word);
    await talk.type("Bye.");
    await until(() => talk.caller.disconnected !== null, { withinMs: 15_000, what: "the end of the room" });
    await expect.poll(async () => (await talk.session()).status, { timeout: 10_000 }).toBe("completed");
    const messages = (await talk.session()).items.flatMap((item) => (item.type === "message" ? [item.content] : []));
    expect(messages[2]).toBe(story.join(""));
    const { entity, samples } = await recordedOf(cluster, talk.sessionId);
    const durationSeconds = (await talk.session()).duration_seconds ?? 0;
    expect([entity.status, entity.tracks.length]).toEqual(["complete", 2]);
    for (const { duration_ms } of entity.tracks)
      expect(Math.abs((duration_ms ?? 0) / 1000 - durationSeconds)).toBeLessThanOrEqual(1.5);
    expect(samples.agent.length).toBe(((entity.tracks[0]?.duration_ms ?? 0) * 16_000) / 1000);
    // What was on its way to the store when the runtime was killed is missing, and nothing else.
    const voicedMs = (levels: number[]): number => 10 * levels.filter((level) => level > 0.01).length;
    const missingMs =
      voicedMs(talk.caller.received.map(({ loudness }) => loudness)) - voicedMs(loudnessOf(samples.agent));
    // Five seconds are promised, and proved in virtual time; a machine that does much else stores later.
    expect(missingMs).toBeLessThanOrEqual(8000);
    expect(await recognize(cluster, samples.agent)).toMatch(/giant/);
  }, 150_000);

  it("answers all that the caller types and says while its runtime is stopped, once and in order", async () => {
    const talk = await startTalk(cluster, agentId);
    await talk.untilSaid("how can I help you");
    await expect.poll(() => talk.caller.states.at(-1), { timeout: 10_000 }).toBe("listening");
    const first = await takerOf(talk.sessionId);
    const ready = readyCount(first);
    expect(cluster.kill(first, "SIGTERM")).toBe(true);
    const typed: string[] = [];
    const type = async (): Promise<void> => {
      typed.push(`Message ${typed.length + 1}.`);
      await talk.caller.send({ type: "user.message", text: typed.at(-1), audio: false });
    };
    // Some come before the runtime has stopped, some while two are in the room, and some to the next one alone.
    await until(
      async () => {
        await type();
        return (await takerOf(talk.sessionId)) !== first && (await saidBy(talk)).length >= typed.length / 2;
      },
      { withinMs: 20_000, what: "the next runtime to answer" },
    );
    await expect.poll(() => saidBy(talk), { timeout: 10_000 }).toEqual(typed);
    await until(() => readyCount(first) > ready, { withinMs: 30_000, what: "the runtime that was stopped" });
    const [second, from] = [await takerOf(talk.sessionId), talk.caller.transcripts.length];
    expect(cluster.kill(second, "SIGTERM")).toBe(true);
    await talk.say("When do you open?");
    const answered = (): boolean =>
      talk.caller.transcripts.slice(from).some(({ text }) => text.includes("nine in the morning"));
    await until(answered, { withinMs: 10_000, what: "the answer to what was said" });
    expect(await takerOf(talk.sessionId)).not.toBe(second);
    // On a machine with much else to do a word may not come through.
    expect((await saidBy(talk)).slice(typed.length).join(" ")).toMatch(/when|open/i);
    expect(talk.caller.disconnected).toBeNull();
    await talk.caller.leave();
  }, 90_000);

  const readyCount = (name: string): number =>
    cluster.events.filter((event) => event.type === "ready" && event.name === name).length;

  /** Each message of a caller's turns. */
  async function saidBy(talk: Talk): Promise<string[]> {
    const records = await recordsOf(cluster, talk.sessionId);
    return records.flatMap((record) => (record.type === "caller-said" ? record.text.split("\n") : []));
  }

  /** The child that took a session last. */
  async function takerOf(sessionId: string): Promise<string> {
    const taken = (await recordsOf(cluster, sessionId)).findLast((record) => record.type === "taken");
    return ["agent-1", "agent-2"].find((name) => taken?.runtimeId.startsWith(`${name}-`) === true) ?? "";
  }

  /** The child that holds a session, by what the runtimes' logs say they began. */
  async function holderOf(sessionId: string): Promise<string> {
    for (const name of ["agent-1", "agent-2"]) {
      const log = await readFile(`${cluster.dataDirectory}/logs/${name}.log`, "utf8");
      if (log.includes(sessionId)) return name;
    }
    throw new Error("no runtime's log has the session");
  }
});
