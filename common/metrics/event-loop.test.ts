import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { watchEventLoop } from "./event-loop.js";

it("tells the longest time that the event loop was held, once", async () => {
  const stallSeconds = watchEventLoop();
  await delay(50);
  const until = performance.now() + 150;
  while (performance.now() < until);
  await delay(50);
  const longest = stallSeconds();
  expect(longest).toBeGreaterThan(0.13);
  expect(longest).toBeLessThan(1);
  await delay(50);
  expect(stallSeconds()).toBeLessThan(longest);
});
