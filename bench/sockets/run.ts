import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { encode } from "@msgpack/msgpack";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { answerOf } from "../asked-process.js";
import { watchOthers } from "../machine.js";
import { processSeconds, treeSeconds } from "../processor-time.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import { type Cost, measureSockets } from "./measure.js";
import type { SocketsScenario } from "./scenario.js";

type Rounds = ReturnType<typeof overRounds>;

/** The figures of a server that are compared. */
type Compared = Record<Exclude<keyof Cost, "talk">, Rounds>;

export interface SocketsFigures {
  edge: Compared;
  echo: Compared;
  /** The edge's over the echo server's, of each round. */
  ratios: Compared;
  /** What a turn of an active socket brought back from the edge, and was sent to the echo server. */
  framesPerTurn: number;
  bytesPerFrame: number;
}

const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

/** Measures a fresh edge and a fresh server that echoes the same frames, round by round. */
export async function runSockets(scenario: SocketsScenario): Promise<{ figures: SocketsFigures; invalid: string[] }> {
  const others = watchOthers();
  const rounds: { edge: Cost; echo: Cost }[] = [];
  // What an ended process has used would count as somebody else's.
  const lasting: { end: () => Promise<unknown> }[] = [];
  try {
    for (let round = 0; round < scenario.rounds; round++) {
      const cluster = await startCluster({ workers: scenario.workers, settings: { PARLEY_IDLE_SECONDS: "600" } });
      lasting.push({ end: () => cluster.stop() });
      const edge = await ofEdge(cluster, scenario, lasting);
      rounds.push({ edge, echo: await ofEcho(edge, scenario, lasting) });
    }
    const costs = rounds.flatMap(({ edge, echo }) => [edge, echo]);
    const errors = costs.reduce((sum, { talk }) => sum + talk.silentTurns + talk.brokenSockets, 0);
    return { figures: figuresOf(rounds, scenario), invalid: objections({ load: others.read(), errors }) };
  } finally {
    await Promise.all(lasting.map(({ end }) => end()));
  }
}

async function ofEdge(
  cluster: TestCluster,
  scenario: SocketsScenario,
  lasting: { end: () => Promise<unknown> }[],
): Promise<Cost> {
  const pids = cluster.processes().flatMap(({ pid }) => pid ?? []);
  const pid = cluster.processes().find(({ name }) => name === "edge")?.pid;
  if (pid === undefined || pid === null) throw new RangeError("the edge does not run");
  return await measureSockets(
    startChild("client-process", lasting),
    {
      target: {
        url: `${cluster.baseUrl.replace("http", "ws")}/v1/tts/live`,
        headers: { authorization: `Bearer ${cluster.apiKey}` },
      },
      pid,
      allSeconds: () => pids.reduce((sum, one) => sum + treeSeconds(one), 0),
      opening: [encode({ event: "start", request: { text: "", format: "pcm", sample_rate: scenario.sampleRate } })],
      turn: [encode({ event: "text", text: scenario.text }), encode({ event: "flush" })],
    },
    scenario,
  );
}

async function ofEcho(
  edge: Cost,
  scenario: SocketsScenario,
  lasting: { end: () => Promise<unknown> }[],
): Promise<Cost> {
  const server = startChild("echo-process", lasting);
  const { port } = await answerOf<{ port: number }>(server);
  const pid = server.pid as number;
  const { framesPerTurn, bytesPerFrame } = turnOf(edge, scenario);
  return await measureSockets(
    startChild("client-process", lasting),
    {
      target: { url: `ws://127.0.0.1:${port}/`, headers: {} },
      pid,
      allSeconds: () => processSeconds(pid),
      opening: [],
      turn: Array.from({ length: Math.max(1, Math.round(framesPerTurn)) }, () => new Uint8Array(bytesPerFrame)),
    },
    scenario,
  );
}

function startChild(name: string, lasting: { end: () => Promise<unknown> }[]): ReturnType<typeof fork> {
  const child = fork(program(name), { serialization: "advanced" });
  lasting.push({
    end: async () => {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  });
  return child;
}

function turnOf(
  { talk }: Cost,
  { activeSockets, turns }: SocketsScenario,
): Pick<SocketsFigures, "framesPerTurn" | "bytesPerFrame"> {
  return {
    framesPerTurn: talk.receivedFrames / (activeSockets * turns),
    bytesPerFrame: Math.round(talk.receivedBytes / talk.receivedFrames),
  };
}

function figuresOf(rounds: readonly { edge: Cost; echo: Cost }[], scenario: SocketsScenario): SocketsFigures {
  const over = (pick: (round: { edge: Cost; echo: Cost }, figure: keyof Compared) => number): Compared => {
    const of = (figure: keyof Compared): Rounds => overRounds(rounds.map((round) => pick(round, figure)));
    return {
      idleBytes: of("idleBytes"),
      idleCores: of("idleCores"),
      activeBytes: of("activeBytes"),
      activeMsPerSecond: of("activeMsPerSecond"),
      allMsPerSecond: of("allMsPerSecond"),
    };
  };
  const first = rounds[0];
  if (first === undefined) throw new RangeError("no rounds");
  return {
    edge: over(({ edge }, figure) => edge[figure]),
    echo: over(({ echo }, figure) => echo[figure]),
    ratios: over(({ edge, echo }, figure) => edge[figure] / echo[figure]),
    ...turnOf(first.edge, scenario),
  };
}
