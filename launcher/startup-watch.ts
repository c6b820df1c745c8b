import { join } from "node:path";
import { LaunchError } from "./launch-error.js";
import type { TerminalLine } from "./log-collector.js";
import type { ChildEvent } from "./supervised.js";

/** A child that ends this often in a row without ever having been ready will not start by trying on. */
const HOPELESS_FAILURES = 4;

/** Watches children come up. */
export interface StartupWatch {
  /** Rejects with LaunchError, naming the child and its last error, when one cannot start; otherwise stays pending. */
  hopeless: Promise<never>;
  noteEvent(event: ChildEvent): void;
  noteLine(name: string, line: TerminalLine): void;
}

/** Begins to watch; `logDirectory` is what the error points at. */
export function watchStartup(logDirectory: string): StartupWatch {
  const wasReady = new Set<string>();
  const lastErrors = new Map<string, string>();
  let giveUp: (error: LaunchError) => void = () => undefined;
  const hopeless = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  // Nobody may be listening any more by the time a child fails.
  hopeless.catch(() => undefined);
  return {
    hopeless,
    noteEvent(event) {
      if (event.type === "ready") wasReady.add(event.name);
      if (event.type !== "ended" || wasReady.has(event.name) || event.failuresInARow < HOPELESS_FAILURES) return;
      const reason =
        event.error instanceof Error ? event.error.message : (lastErrors.get(event.name) ?? describeEnd(event));
      giveUp(
        new LaunchError(`${event.name} does not start: ${reason} (log: ${join(logDirectory, `${event.name}.log`)})`),
      );
    },
    noteLine(name, line) {
      if (line.level === "error") lastErrors.set(name, line.text);
    },
  };
}

/** How a child ended, in words. */
export function describeEnd(event: Extract<ChildEvent, { type: "ended" }>): string {
  if (event.error instanceof Error) return event.error.message;
  if (event.end?.signal != null) return `ended by ${event.end.signal}`;
  return `ended with code ${event.end?.code ?? "unknown"}`;
}
