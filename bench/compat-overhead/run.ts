import { Agent, request as httpRequest } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { watchOthers } from "../machine.js";
import type { CompatOverheadScenario } from "../scenarios.js";
import { overRounds, type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";

const WARM_UP = 15;
/** Every request finds a cluster at rest. */
const REST_MS = 30;

/** A way of asking for the same audio. */
interface Way {
  name: string;
  path: string;
  headers: Record<string, string>;
  body: object;
}

function waysOf(text: string): Way[] {
  return [
    {
      name: "/v1/tts",
      path: "/v1/tts",
      headers: { model: "s2.1-pro" },
      body: { text, format: "pcm", sample_rate: 24_000, latency: "low" },
    },
    {
      name: "OpenAI /audio/speech",
      path: "/compat/v1/audio/speech",
      headers: {},
      body: { input: text, model: "tts-1", voice: "default", response_format: "pcm16" },
    },
    {
      name: "ElevenLabs /stream",
      path: "/compat/elevenlabs/v1/text-to-speech/default/stream?output_format=pcm_24000",
      headers: {},
      body: { text },
    },
  ];
}

export interface CompatOverheadFigures {
  /** Milliseconds from the request to the first byte of audio, native first. */
  ways: { name: string; firstByteMs: Spread }[];
  /** Median of each layer minus the native median, round by round. */
  overheadMs: { name: string; rounds: ReturnType<typeof overRounds> }[];
}

/** Measures all ways in turns, over one warm connection each. Throws when they do not give the same bytes. */
export async function runCompatOverhead(
  scenario: CompatOverheadScenario,
): Promise<{ figures: CompatOverheadFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: 1 });
  const agents = new Map<string, Agent>();
  const ways = waysOf(scenario.text);
  for (const { name } of ways) agents.set(name, new Agent({ keepAlive: true, maxSockets: 1 }));
  const ask = (way: Way): Promise<{ firstByteMs: number; bytes: Buffer }> =>
    speak(cluster, way, agents.get(way.name) as Agent);
  try {
    const recordings: Buffer[] = [];
    for (const way of ways) recordings.push((await ask(way)).bytes);
    if (!recordings.every((audio) => audio.equals(recordings[0] ?? Buffer.alloc(0))))
      throw new RangeError("the layers do not give the native route's bytes");
    for (let i = 0; i < WARM_UP; i++) for (const way of ways) await ask(way);
    const others = watchOthers();
    const rounds: number[][][] = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const times: number[][] = ways.map(() => []);
      for (let i = 0; i < scenario.perRound; i++) {
        for (const [index, way] of ways.entries()) {
          await delay(REST_MS);
          times[index]?.push((await ask(way)).firstByteMs);
        }
      }
      rounds.push(times);
    }
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    return { figures: figuresOf(ways, rounds), invalid };
  } finally {
    for (const agent of agents.values()) agent.destroy();
    await cluster.stop();
  }
}

function figuresOf(ways: readonly Way[], rounds: readonly number[][][]): CompatOverheadFigures {
  const of = (index: number): number[] => rounds.flatMap((round) => round[index] ?? []);
  const median = (values: readonly number[]): number => spread(values).p50;
  return {
    ways: ways.map(({ name }, index) => ({ name, firstByteMs: spread(of(index)) })),
    overheadMs: ways
      .slice(1)
      .map(({ name }, index) => ({
        name,
        rounds: overRounds(rounds.map((round) => median(round[index + 1] ?? []) - median(round[0] ?? []))),
      })),
  };
}

function speak(cluster: TestCluster, way: Way, agent: Agent): Promise<{ firstByteMs: number; bytes: Buffer }> {
  const body = Buffer.from(JSON.stringify(way.body));
  const headers = {
    authorization: `Bearer ${cluster.apiKey}`,
    "content-type": "application/json",
    "content-length": body.length,
    ...way.headers,
  };
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const sent = httpRequest(`${cluster.baseUrl}${way.path}`, { method: "POST", agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      let firstByteMs = Number.NaN;
      answer.on("data", (part: Buffer) => {
        if (parts.length === 0) firstByteMs = performance.now() - startMs;
        parts.push(part);
      });
      answer.on("error", reject);
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve({ firstByteMs, bytes: Buffer.concat(parts) });
        else
          reject(
            new RangeError(
              `${way.path} answered ${answer.statusCode}: ${Buffer.concat(parts).toString().slice(0, 200)}`,
            ),
          );
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
