import { expect, it } from "vitest";
import { KeyLookups } from "./key-lookups.js";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("works on few unknown keys at once, on known ones at once, and gives up what waits for too long", async () => {
  const lookups = new KeyLookups(500);
  const running: (() => void)[] = [];
  const lookUp = (): Promise<void> => new Promise((resolve) => running.push(resolve));
  const guesses = Array.from({ length: 600 }, () =>
    lookups.run(false, lookUp).then(
      () => "answered",
      (error: { code: string }) => error.code,
    ),
  );
  await settled();
  expect(running).toHaveLength(8);
  expect(await Promise.all(guesses.slice(520))).toEqual(Array.from({ length: 80 }, () => "overloaded"));
  expect(await lookups.run(true, async () => "known")).toBe("known");
  running[0]?.();
  await settled();
  expect(running).toHaveLength(9);
  expect(await guesses[519]).toBe("overloaded");
  for (const finish of running.splice(0)) finish();
  await settled();
  expect(running).toHaveLength(0);
});
