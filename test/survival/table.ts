import type { Survival, Victim } from "./one-kill.js";

/** One line for each victim, as Markdown. */
export function survivalTable(results: ReadonlyMap<Victim, readonly Survival[]>): string {
  const head = [
    "| killed | times | kept the room | heard the end | longest gap, ms: min / median / p95 / max | words lost, extra, changed: most in one reply (all) | heard and not recorded: most (all) | whole in the record |",
    "|---|---|---|---|---|---|---|---|",
  ];
  return [...head, ...[...results].map(([victim, survivals]) => rowOf(victim, survivals))].join("\n");
}

function rowOf(victim: Victim, survivals: readonly Survival[]): string {
  const count = (holds: (survival: Survival) => boolean): number => survivals.filter(holds).length;
  const gaps = survivals.map(({ gapMs }) => gapMs ?? Number.NaN).toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(gaps[Math.max(0, Math.ceil(gaps.length * part) - 1)] ?? Number.NaN);
  const most = (kind: "lost" | "extra" | "changed" | "unrecorded"): string => {
    const values = survivals.map((survival) => survival[kind]);
    return `${Math.max(0, ...values)} (${values.reduce((sum, value) => sum + value, 0)})`;
  };
  const cells = [
    victim,
    survivals.length,
    count(({ stayedInRoom }) => stayedInRoom),
    count(({ receivedAll }) => receivedAll),
    [at(0), at(0.5), at(0.95), at(1)].join(" / "),
    [most("lost"), most("extra"), most("changed")].join(", "),
    most("unrecorded"),
    count(({ isRecorded }) => isRecorded),
  ];
  return `| ${cells.join(" | ")} |`;
}
