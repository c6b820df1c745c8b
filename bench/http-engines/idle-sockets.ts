import { setTimeout as delay } from "node:timers/promises";
import { watchOthers } from "../machine.js";
import type { HttpEnginesIdleScenario } from "../scenarios.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import { type Engine, engines, paths } from "./messages.js";
import { type EngineServer, type Generator, openProcesses } from "./processes.js";

/** Time in which a server comes to rest. */
const REST_MS = 500;

/** What one idle WebSocket adds to the server's process, bytes. */
interface IdleRound {
  residentBytes: number;
  heapBytes: number;
  missing: number;
}

export interface IdleFigures {
  sockets: number;
  lines: { engine: Engine; residentBytes: ReturnType<typeof overRounds>; heapBytes: ReturnType<typeof overRounds> }[];
}

/** Opens WebSockets on which nothing happens, each round in a fresh process of each engine. */
export async function runIdleSockets(
  scenario: HttpEnginesIdleScenario,
): Promise<{ figures: IdleFigures; invalid: string[] }> {
  const processes = openProcesses();
  try {
    const generator = processes.startGenerator();
    const others = watchOthers();
    const rounds: { engine: Engine; round: IdleRound }[] = [];
    for (let round = 0; round < scenario.rounds; round++)
      for (const engine of round % 2 === 0 ? engines : engines.toReversed()) {
        // It ends with the others: what an ended process has used would count as somebody else's.
        const server = await processes.startServer(engine);
        rounds.push({ engine, round: await measure(server, generator, scenario) });
      }
    const errors = rounds.reduce((sum, { round }) => sum + round.missing, 0);
    const lines = engines.map((engine) => {
      const own = rounds.filter((one) => one.engine === engine).map(({ round }) => round);
      const residentBytes = overRounds(own.map((round) => round.residentBytes));
      return { engine, residentBytes, heapBytes: overRounds(own.map(({ heapBytes }) => heapBytes)) };
    });
    return { figures: { sockets: scenario.sockets, lines }, invalid: objections({ load: others.read(), errors }) };
  } finally {
    await processes.end();
  }
}

async function measure(
  server: EngineServer,
  generator: Generator,
  { sockets, warmUpSockets }: HttpEnginesIdleScenario,
): Promise<IdleRound> {
  // What is loaded and compiled at the first of them is not theirs.
  await generator.open(server.port, paths.idle, warmUpSockets);
  await delay(REST_MS);
  const before = await server.use({ isCollected: true });
  await generator.open(server.port, paths.idle, warmUpSockets + sockets);
  await delay(REST_MS);
  const after = await server.use({ isCollected: true });
  await generator.close();
  return {
    residentBytes: (after.residentBytes - before.residentBytes) / sockets,
    heapBytes: (after.heapBytes - before.heapBytes) / sockets,
    missing: warmUpSockets + sockets - after.openSockets,
  };
}
