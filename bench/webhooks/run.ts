import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { postgresPrograms, startPostgres } from "#test/control-plane/postgres";
import { startNats } from "#test/harness/servers";
import { temporaryDirectory } from "#test/harness/temporary-directory";
import { watchOthers } from "../machine.js";
import type { WebhooksScenario } from "../scenarios.js";
import { type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import {
  type HostReport,
  type HostTask,
  hangingPath,
  healthyPath,
  type ReceiversReady,
  type ReceiversReport,
} from "./messages.js";

const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

export interface WebhooksFigures {
  /** Deliveries that began in a second, hanging receivers' first attempts included. */
  deliveriesPerSecond: number;
  /** From the time that an event was due to its arrival at a healthy receiver. */
  healthyDelayMs: Spread;
  /** Healthy deliveries that did not arrive. */
  missing: number;
  repeats: number;
  hangingAttempts: number;
  writerLateMs: number;
  processorShare: number;
  processorMsPerDelivery: number;
  statuses: Record<string, number>;
}

/** Delivers at a fixed rate while a part of the receivers never answers, and measures how long the others wait. */
export async function runWebhooks(
  scenario: WebhooksScenario,
): Promise<{ figures: WebhooksFigures; invalid: string[] }> {
  const programs = postgresPrograms();
  if (scenario.database === "postgres" && programs === null) throw new Error("no Postgres is installed");
  const directory = temporaryDirectory("bench-webhooks");
  const postgres = scenario.database === "postgres" && programs !== null ? await startPostgres(programs) : null;
  const nats = await startNats();
  const receivers = fork(program("receivers-process"));
  const host = fork(program("host-process"));
  try {
    const { port } = await answerOf<ReceiversReady>(receivers);
    const others = watchOthers();
    const task: HostTask = {
      ...{
        databaseUrl: postgres?.url ?? null,
        dataDirectory: directory.path,
        natsUrl: nats.url,
        allow: `127.0.0.1:${port}`,
      },
      ...{
        agents: agentsOf(scenario, port),
        eventsPerSecond: scenario.deliveriesPerSecond / scenario.endpointsPerAgent,
        durationMs: scenario.durationMs,
      },
    };
    host.send(task);
    const report = await answerOf<HostReport>(host);
    receivers.send("report");
    const received = await answerOf<ReceiversReport>(receivers);
    const expected = report.events * (scenario.endpointsPerAgent - 1);
    const missing = expected - received.delaysMs.length;
    const figures: WebhooksFigures = {
      deliveriesPerSecond: (report.events * scenario.endpointsPerAgent) / (scenario.durationMs / 1000),
      healthyDelayMs: spread(received.delaysMs),
      ...{ missing, repeats: received.repeats, hangingAttempts: received.hanging },
      ...{ writerLateMs: report.writerLateMs, processorShare: report.processorShare, statuses: report.statuses },
      processorMsPerDelivery: report.processorMs / (report.events * scenario.endpointsPerAgent),
    };
    return { figures, invalid: objections({ load: others.read(), errors: missing }) };
  } finally {
    for (const child of [host, receivers]) child.kill("SIGKILL");
    await Promise.all([nats.stop(), postgres?.stop()]);
    directory.remove();
  }
}

/** Every agent has one receiver that hangs among its endpoints. */
function agentsOf(scenario: WebhooksScenario, port: number): HostTask["agents"] {
  const url = (path: string): string => `http://127.0.0.1:${port}${path}`;
  return Array.from({ length: scenario.agents }, (_agent, agent) => ({
    endpoints: Array.from({ length: scenario.endpointsPerAgent }, (_endpoint, endpoint) =>
      url(endpoint === 0 ? hangingPath(agent, endpoint) : healthyPath(agent, endpoint)),
    ),
  }));
}

/** The next message of a child. Rejects when it ends without one. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`a process of the benchmark ended with ${String(code)}`)),
  );
  ended.catch(() => undefined);
  const [message] = (await Promise.race([once(child, "message"), ended])) as [T];
  return message;
}
