import type { OthersLoad } from "./machine.js";

/** Cores that others may take: more of it lies in the figures as noise. */
export const MOST_OTHERS_CORES = 0.2;

/** Processor time that a hypervisor may take away, cores. */
export const MOST_STOLEN_CORES = 0.02;

/** A load generator that is later than this measures itself (99th percentile of its event loop's lag). */
export const MOST_GENERATOR_LAG_MS = 1;

/** What could make a run's figures worthless. */
export interface Conditions {
  load: OthersLoad;
  /** Absent where there is no generator of its own. */
  generatorLagP99Ms?: number;
  errors: number;
}

/** Why the figures of a run must not be used; empty when they may. */
export function objections({ load, generatorLagP99Ms = 0, errors }: Conditions): string[] {
  const found: string[] = [];
  if (load.others > MOST_OTHERS_CORES) found.push(`others used ${load.others.toFixed(2)} cores`);
  if (load.stolen > MOST_STOLEN_CORES) found.push(`${load.stolen.toFixed(2)} cores were stolen by the hypervisor`);
  if (generatorLagP99Ms > MOST_GENERATOR_LAG_MS)
    found.push(`the generator was late by ${generatorLagP99Ms.toFixed(1)} ms (p99)`);
  if (errors > 0) found.push(`${errors} errors`);
  return found;
}
