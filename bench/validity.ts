import type { OthersLoad } from "./machine.js";

/** Cores that others may take: more of it lies in the figures as noise. */
const MOST_OTHERS_CORES = 0.2;

/** Processor time that a hypervisor may take away, cores. */
const MOST_STOLEN_CORES = 0.02;

/** A load generator may always be as late as this (99th percentile of its event loop's lag). */
const LEAST_GENERATOR_LAG_MS = 1;

/**
 * A generator's lag makes what it measures longer, never shorter. Up to this part of the time by which a run is judged
 * it decides nothing.
 */
const MOST_GENERATOR_LAG = 0.05;

/** What could make a run's figures worthless. */
export interface Conditions {
  load: OthersLoad;
  /** Absent where there is no generator of its own. */
  generatorLagP99Ms?: number;
  /** The shortest time by which the run is judged: a player's store, an aim, a median. Absent where it is not known. */
  judgedMs?: number;
  errors: number;
}

/** Why the figures of a run must not be used; empty when they may. */
export function objections({ load, generatorLagP99Ms = 0, judgedMs = 0, errors }: Conditions): string[] {
  const found: string[] = [];
  if (load.others > MOST_OTHERS_CORES) found.push(`others used ${load.others.toFixed(2)} cores`);
  if (load.stolen > MOST_STOLEN_CORES) found.push(`${load.stolen.toFixed(2)} cores were stolen by the hypervisor`);
  if (generatorLagP99Ms > Math.max(LEAST_GENERATOR_LAG_MS, judgedMs * MOST_GENERATOR_LAG))
    found.push(`the generator was late by ${generatorLagP99Ms.toFixed(1)} ms (p99)`);
  if (errors > 0) found.push(`${errors} errors`);
  return found;
}
