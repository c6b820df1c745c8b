import { expect, it } from "vitest";
import { runSoak } from "./soak.js";

const MINUTES = 3;
/** One every 20 s, less what the faults themselves last. */
const LEAST_FAULTS = 6;

it(
  "loses nothing and grows nowhere while all kinds of load and faults go on for three minutes",
  async () => {
    const lines: string[] = [];
    const { faults, loads, problems } = await runSoak(MINUTES, (line) => lines.push(line));
    expect(problems, lines.join("\n")).toEqual([]);
    expect(faults).toBeGreaterThanOrEqual(LEAST_FAULTS);
    expect(loads.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["live mp3", "file wav", "compat", "recordings", "records"]),
    );
  },
  15 * 60_000,
);
