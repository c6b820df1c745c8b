import { table } from "../results.js";
import type { RoleProfile } from "./run.js";

/** The figures as a page of text. */
export function printProfile({ roles }: { roles: RoleProfile[] }): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const summary = roles.map(({ role, busy, collectorShare }) => [role, percent(busy), percent(collectorShare)]);
  return [
    table(["event loop of", "busy", "of which the garbage collector"], summary),
    ...roles.flatMap(({ role, functions }) => [
      "",
      table(
        [`${role}: own time of`, "share"],
        functions.map(({ name, share }) => [name, percent(share)]),
      ),
    ]),
  ].join("\n");
}
