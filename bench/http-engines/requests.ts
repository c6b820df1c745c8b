import { watchOthers } from "../machine.js";
import type { HttpEnginesRequestsScenario } from "../scenarios.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import { type Engine, engines } from "./messages.js";
import { type EngineServer, type Generator, openProcesses } from "./processes.js";

/** One engine with one kind of request, in one round. */
interface RequestsRound {
  perSecond: number;
  /** Of the server's process, for each request. */
  processorMicroseconds: number;
  serverShare: number;
  generatorShare: number;
  errors: number;
}

type Rounds = ReturnType<typeof overRounds>;

/** One line of the table: figures of the rounds. */
export interface RequestsLine {
  request: "get" | "post";
  engine: Engine;
  perSecond: Rounds;
  processorMicroseconds: Rounds;
  serverShare: Rounds;
  generatorShare: Rounds;
}

export interface RequestsFigures {
  lines: RequestsLine[];
  /** `node:http` ÷ uWebSockets.js, of each round. */
  ratios: { request: "get" | "post"; perSecond: Rounds; processor: Rounds }[];
}

const kinds = ["get", "post"] as const;

/** Asks both engines for small answers, in turns, over connections that ask again as soon as they are answered. */
export async function runRequests(
  scenario: HttpEnginesRequestsScenario,
): Promise<{ figures: RequestsFigures; invalid: string[] }> {
  const processes = openProcesses();
  try {
    const generator = processes.startGenerator();
    const servers = await Promise.all(engines.map((engine) => processes.startServer(engine)));
    for (const request of kinds)
      for (const server of servers) await measure({ server, generator, request, scenario, ms: scenario.warmUpMs });
    const others = watchOthers();
    const rounds = new Map<string, RequestsRound[]>();
    for (let round = 0; round < scenario.rounds; round++)
      for (const request of kinds)
        for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
          const key = `${request} ${server.engine}`;
          const measured = await measure({ server, generator, request, scenario, ms: scenario.durationMs });
          rounds.set(key, [...(rounds.get(key) ?? []), measured]);
        }
    const errors = [...rounds.values()].flat().reduce((sum, round) => sum + round.errors, 0);
    return { figures: figuresOf(rounds), invalid: objections({ load: others.read(), errors }) };
  } finally {
    await processes.end();
  }
}

interface Measurement {
  server: EngineServer;
  generator: Generator;
  request: "get" | "post";
  scenario: HttpEnginesRequestsScenario;
  ms: number;
}

async function measure({ server, generator, request, scenario, ms }: Measurement): Promise<RequestsRound> {
  const before = await server.use({ isCollected: true });
  const { connections } = scenario;
  const report = await generator.requests({ port: server.port, request, connections, durationMs: ms });
  const processorMs = (await server.use()).processorMs - before.processorMs;
  return {
    perSecond: report.answers / (report.wallMs / 1000),
    processorMicroseconds: (processorMs * 1000) / report.answers,
    serverShare: processorMs / report.wallMs,
    generatorShare: report.processorShare,
    errors: report.errors,
  };
}

function figuresOf(rounds: ReadonlyMap<string, readonly RequestsRound[]>): RequestsFigures {
  const of = (request: string, engine: Engine, pick: (round: RequestsRound) => number): number[] =>
    (rounds.get(`${request} ${engine}`) ?? []).map(pick);
  const ratios = (request: string, pick: (round: RequestsRound) => number): Rounds => {
    const first = of(request, engines[0], pick);
    return overRounds(of(request, engines[1], pick).map((value, round) => value / (first[round] ?? Number.NaN)));
  };
  return {
    lines: kinds.flatMap((request) =>
      engines.map((engine) => ({
        ...{ request, engine },
        perSecond: overRounds(of(request, engine, ({ perSecond }) => perSecond)),
        processorMicroseconds: overRounds(of(request, engine, (round) => round.processorMicroseconds)),
        serverShare: overRounds(of(request, engine, ({ serverShare }) => serverShare)),
        generatorShare: overRounds(of(request, engine, ({ generatorShare }) => generatorShare)),
      })),
    ),
    ratios: kinds.map((request) => ({
      request,
      perSecond: ratios(request, ({ perSecond }) => perSecond),
      processor: ratios(request, (round) => round.processorMicroseconds),
    })),
  };
}
