import { type Aim, atMost } from "../report/aim.js";
import { table } from "../results.js";
import type { ConsoleLoadFigures } from "./run.js";

/** The figures as a page of text. */
export function printConsoleLoad({ homeMs, plainMs, homeBytes }: ConsoleLoadFigures): string {
  const row = (name: string, { p50, p95, max }: ConsoleLoadFigures["homeMs"]) => [name, p50, p95, max];
  return [
    table(
      ["milliseconds until it is there", "p50", "p95", "max"],
      [row("the console's Home, nothing cached", homeMs), row("a plain page of the same edge", plainMs)],
    ),
    "",
    `${(homeBytes / 1000).toFixed(0)} kB over the wire for Home`,
  ].join("\n");
}

/** What the console is held to. */
export const consoleLoadAims = ({ homeMs }: ConsoleLoadFigures): Aim[] => [
  atMost("the console's Home is there, p95, ms", homeMs.p95, 1000),
];
