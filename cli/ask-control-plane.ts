import type { Reply } from "#protocol/bus/control";
import { fromErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { CommandError, exitCodes, type Terminal } from "./command.js";
import { findCluster, unreachable } from "./running-cluster.js";

const CONNECT_MS = 5000;
const ANSWER_MS = 5000;

/**
 * Asks the running cluster's control plane one administrative question. Throws CommandError when it refuses or cannot
 * be reached.
 */
export async function askControlPlane<T>(terminal: Terminal, subject: string, request: object): Promise<T> {
  const bus = await connectToCluster(terminal);
  try {
    return await askOver<T>(bus, subject, request);
  } finally {
    await bus.close();
  }
}

/** The running cluster's bus, for several questions: whoever calls this closes it. Throws CommandError without one. */
export async function connectToCluster(terminal: Terminal): Promise<Bus> {
  const { natsUrl } = findCluster(terminal.environment);
  if (natsUrl === null) throw unreachable("Parley");
  // The bus waits for its server for ever, as roles want it; a person does not.
  const connecting = connectNats({ url: natsUrl, name: "parley-cli", log: createLogger("cli", "fatal") });
  const bus = await Promise.race([
    connecting,
    new Promise<null>((resolve) => setTimeout(resolve, CONNECT_MS, null).unref()),
  ]);
  if (bus === null) throw unreachable("The bus");
  return bus;
}

/** As `askControlPlane`, over a bus that is there. */
export async function askOver<T>(bus: Bus, subject: string, request: object, timeoutMs = ANSWER_MS): Promise<T> {
  try {
    const reply = await bus.request<Reply<T>>(subject, request, { timeoutMs, dependency: "The control plane" });
    if (!reply.ok) throw fromErrorRecord(reply.error);
    return reply.value;
  } catch (cause) {
    throw new CommandError(cause instanceof Error ? cause.message : String(cause), exitCodes.failed, { cause });
  }
}
