import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.js";

it("lets a burst through, then the rate", () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, 0);
  const taken = (nowMs: number, times: number): number => Array.from({ length: times }, () => bucket.take(nowMs)).filter(Boolean).length;
  expect(taken(0, 10)).toBe(3);
  expect(taken(499, 10)).toBe(0);
  expect(taken(500, 10)).toBe(1);
  expect(taken(1500, 10)).toBe(2);
  expect(bucket.isFull(2500)).toBe(false);
  expect(bucket.isFull(3000)).toBe(true);
  expect(taken(100_000, 10)).toBe(3);
});
