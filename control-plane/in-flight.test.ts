import { expect, it } from "vitest";
import { InFlight } from "./in-flight.js";

it("is idle when all that began has ended, failures included", async () => {
  const inFlight = new InFlight();
  await inFlight.idle();
  const ends: ((error?: Error) => void)[] = [];
  const begin = (): Promise<void> =>
    inFlight.run(
      () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
    );
  const [first, second] = [begin(), begin()];
  let idle = false;
  const waiting = inFlight.idle().then(() => {
    idle = true;
  });
  ends[0]?.();
  await first;
  expect(idle).toBe(false);
  ends[1]?.(new RangeError("x"));
  await expect(second).rejects.toThrow("x");
  await waiting;
  expect(idle).toBe(true);
});
