import { watchOthers } from "../machine.js";
import type { HttpEnginesStreamsScenario } from "../scenarios.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import { type Engine, engines, FRAME_MS, paths, type PlayReport } from "./messages.js";
import { type EngineServer, type Generator, openProcesses } from "./processes.js";

/** One engine with one number of sockets, in one round. */
interface StreamsRound extends PlayReport {
  /** Of the server's process, for each second of each stream. */
  processorMsPerStreamSecond: number;
}

type Rounds = ReturnType<typeof overRounds>;

/** One line of the table: figures of the rounds. */
export interface StreamsLine {
  sockets: number;
  engine: Engine;
  processorMsPerStreamSecond: Rounds;
  latenessP50Ms: Rounds;
  latenessP99Ms: Rounds;
  transitP50Ms: Rounds;
  transitP99Ms: Rounds;
  generatorLagP99Ms: Rounds;
  generatorShare: Rounds;
}

export interface StreamsFigures {
  lines: StreamsLine[];
  /** Timers and memory of the frames alone, without an engine, by the number of sockets. */
  pacing: { sockets: number; processorMsPerStreamSecond: number }[];
  /** `ws` ÷ uWebSockets.js, of each round, pacing included. */
  ratios: { sockets: number; processor: Rounds }[];
}

/** Plays audio in real time over many WebSockets of both engines, in turns. */
export async function runStreams(
  scenario: HttpEnginesStreamsScenario,
): Promise<{ figures: StreamsFigures; invalid: string[] }> {
  const processes = openProcesses();
  try {
    const generator = processes.startGenerator();
    const servers = await Promise.all(engines.map((engine) => processes.startServer(engine)));
    for (const server of servers) await measure(server, generator, 50, scenario.warmUpFrames);
    const others = watchOthers();
    const rounds = new Map<string, StreamsRound[]>();
    for (let round = 0; round < scenario.rounds; round++)
      for (const sockets of scenario.sockets)
        for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
          const key = `${sockets} ${server.engine}`;
          rounds.set(key, [...(rounds.get(key) ?? []), await measure(server, generator, sockets, scenario.frames)]);
        }
    const pacing: StreamsFigures["pacing"] = [];
    for (const sockets of scenario.sockets)
      pacing.push({ sockets, processorMsPerStreamSecond: await pace(servers[0], sockets, scenario.frames) });
    const all = [...rounds.values()].flat();
    const invalid = objections({
      load: others.read(),
      generatorLagP99Ms: Math.max(...all.map(({ lagP99Ms }) => lagP99Ms)),
      errors: all.reduce((sum, { errors }) => sum + errors, 0),
    });
    return { figures: { ...figuresOf(scenario, rounds), pacing }, invalid };
  } finally {
    await processes.end();
  }
}

async function measure(
  server: EngineServer,
  generator: Generator,
  sockets: number,
  frames: number,
): Promise<StreamsRound> {
  await generator.open(server.port, paths.live, sockets);
  const before = await server.use({ isCollected: true });
  const report = await generator.play(frames);
  const processorMs = (await server.use()).processorMs - before.processorMs;
  await generator.close();
  return { ...report, processorMsPerStreamSecond: processorMs / streamSeconds(sockets, frames) };
}

async function pace(server: EngineServer | undefined, streams: number, frames: number): Promise<number> {
  if (server === undefined) return Number.NaN;
  const before = await server.use({ isCollected: true });
  const after = await server.use({ pace: { streams, frames } });
  return (after.processorMs - before.processorMs) / streamSeconds(streams, frames);
}

const streamSeconds = (sockets: number, frames: number): number => (sockets * frames * FRAME_MS) / 1000;

function figuresOf(
  scenario: HttpEnginesStreamsScenario,
  rounds: ReadonlyMap<string, readonly StreamsRound[]>,
): Omit<StreamsFigures, "pacing"> {
  const of = (sockets: number, engine: Engine, pick: (round: StreamsRound) => number): number[] =>
    (rounds.get(`${sockets} ${engine}`) ?? []).map(pick);
  return {
    lines: scenario.sockets.flatMap((sockets) =>
      engines.map((engine) => {
        const over = (pick: (round: StreamsRound) => number): Rounds => overRounds(of(sockets, engine, pick));
        return {
          ...{ sockets, engine },
          processorMsPerStreamSecond: over((round) => round.processorMsPerStreamSecond),
          latenessP50Ms: over(({ latenessMs }) => latenessMs.p50),
          latenessP99Ms: over(({ latenessMs }) => latenessMs.p99),
          transitP50Ms: over(({ transitMs }) => transitMs.p50),
          transitP99Ms: over(({ transitMs }) => transitMs.p99),
          generatorLagP99Ms: over(({ lagP99Ms }) => lagP99Ms),
          generatorShare: over(({ processorShare }) => processorShare),
        };
      }),
    ),
    ratios: scenario.sockets.map((sockets) => {
      const first = of(sockets, engines[0], (round) => round.processorMsPerStreamSecond);
      const second = of(sockets, engines[1], (round) => round.processorMsPerStreamSecond);
      return { sockets, processor: overRounds(second.map((value, round) => value / (first[round] ?? Number.NaN))) };
    }),
  };
}
