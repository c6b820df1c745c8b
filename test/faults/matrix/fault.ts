import type { Chaos } from "../chaos-lane.js";
import { until } from "../../harness/processes.js";
import type { FaultCluster, ProxiedServer } from "./fault-cluster.js";

/** What happens to a cluster. */
export interface Fault {
  /** In words, after "while". */
  what: string;
  /** How long it lasts once it has begun; a killed process is back when its launcher has it back. */
  lastsMs: number;
  /** Resolves when it is there, with what ends it and resolves when it is over. */
  begin(under: FaultCluster): Promise<() => Promise<void>>;
}

const BACK_MS = 60_000;

/** Ends a process by a signal; its launcher starts it again. */
function end(name: string, signal: "SIGKILL" | "SIGTERM", what: string): Fault {
  return {
    what,
    lastsMs: 0,
    async begin({ cluster }) {
      const readies = (): number =>
        cluster.events.filter((event) => event.type === "ready" && event.name === name).length;
      const before = readies();
      // Between two lives there is nothing to kill.
      await until(() => cluster.kill(name, signal), { withinMs: BACK_MS, what: `${name} to be killed` });
      return () => until(() => readies() > before, { withinMs: BACK_MS, what: `${name} to be ready again` });
    },
  };
}

export const kill = (name: string): Fault => end(name, "SIGKILL", `${name} is killed`);

/** As a rolling deployment does it: the process may finish what it has. */
export const stop = (name: string): Fault => end(name, "SIGTERM", `${name} is stopped and started anew`);

/** Whether every worker may be sent work, as its `/ready` says it to who replaces them. */
async function areAttached({ cluster }: FaultCluster): Promise<boolean> {
  const answer = await fetch(`${cluster.baseUrl}/health`);
  const { workers } = (await answer.json()) as { workers: { state: string; scheduler_id: string | null }[] };
  const attached = workers.filter(({ state, scheduler_id }) => state === "ready" && scheduler_id !== null);
  return attached.length === cluster.processes().filter(({ name }) => name.startsWith("worker-")).length;
}

/** Each of some processes is stopped and started anew, the next one when the one before is ready. */
export const stopEach = (names: readonly string[]): Fault => ({
  what: `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} stopped and started anew, one after the other`,
  lastsMs: 0,
  async begin(under) {
    const [first, ...others] = names.map(stop);
    const end = await first?.begin(under);
    return async () => {
      await end?.();
      for (const other of others) {
        await until(() => areAttached(under), { withinMs: BACK_MS, what: "every worker to belong to a scheduler" });
        await (await other.begin(under))();
      }
    };
  },
});

/** A process that stands still, and goes on as if nothing had been. */
export const pause = (name: string, lastsMs: number): Fault => ({
  what: `${name} stands still for ${lastsMs / 1000} s`,
  lastsMs,
  async begin({ cluster }) {
    await until(() => cluster.kill(name, "SIGSTOP"), { withinMs: BACK_MS, what: `${name} to be paused` });
    return async () => void cluster.kill(name, "SIGCONT");
  },
});

/** A connection to a server that misbehaves for a while. */
export const chaos = (server: ProxiedServer, chaos: Chaos, lastsMs: number): Fault => ({
  what: `${describe[chaos.type]} between the roles and ${server} for ${lastsMs / 1000} s`,
  lastsMs,
  async begin({ proxies }) {
    await proxies[server].set(chaos);
    return () => proxies[server].set({ type: "pass" });
  },
});

/** Every connection to a server is reset, and new ones are refused for a while. */
export const cut = (server: ProxiedServer, lastsMs: number): Fault => ({
  what: `every connection to ${server} is reset, and new ones are refused for ${lastsMs / 1000} s`,
  lastsMs,
  async begin({ proxies }) {
    await proxies[server].set({ type: "refuse" });
    proxies[server].resetAll();
    return () => proxies[server].set({ type: "pass" });
  },
});

/** The clock of every role is set so far ahead, or back, and later right again. */
export const stepClock = (aheadMs: number, lastsMs: number): Fault => ({
  what: `the clock of every role is set ${Math.abs(aheadMs) / HOUR_MS} h ${aheadMs < 0 ? "back" : "ahead"}, and right again after ${lastsMs / 1000} s`,
  lastsMs,
  async begin({ clock }) {
    clock.set(aheadMs);
    return async () => clock.set(0);
  },
});

const HOUR_MS = 3_600_000;

const describe: Readonly<Record<Chaos["type"], string>> = {
  pass: "nothing happens",
  latency: "everything comes late",
  drip: "bytes only drip",
  "black-hole": "nothing passes",
  "reset-after": "connections are reset again and again",
  "half-close": "connections are half closed",
  refuse: "new connections are refused",
};
