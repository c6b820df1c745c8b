import { expect, it } from "vitest";
import { roleLoads } from "./figures.js";

it("says at how many streams the busiest thread of a role needs a whole core", () => {
  const loads = roleLoads(
    [
      { role: "edge", loopSeconds: 1, otherSeconds: 3 },
      { role: "scheduler", loopSeconds: 0.25, otherSeconds: 0 },
      { role: "worker", loopSeconds: 0.5, otherSeconds: 4 },
      { role: "worker", loopSeconds: 0.5, otherSeconds: 5 },
    ],
    500,
  );
  expect(loads.edge).toEqual({
    ...{ processes: 1, msPerSecond: 8, busiestMsPerSecond: 6, busiestPart: 1 },
    fullAtStreams: 500 / 3,
  });
  expect(loads.scheduler.fullAtStreams).toBe(2000);
  expect(loads.worker).toMatchObject({ processes: 2, msPerSecond: 20, busiestMsPerSecond: 10, fullAtStreams: 100 });
  expect(loads.worker.busiestPart).toBeCloseTo(0.55);
});
