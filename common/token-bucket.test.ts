import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.js";

it("lets a burst through, then the rate", () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, 0);
  const taken = (nowMs: number, times: number): number =>
    Array.from({ length: times }, () => bucket.take(nowMs)).filter(Boolean).length;
  expect(taken(0, 10)).toBe(3);
  expect(taken(499, 10)).toBe(0);
  expect(taken(500, 10)).toBe(1);
  expect(taken(1500, 10)).toBe(2);
  expect(taken(100_000, 10)).toBe(3);
  bucket.giveBack();
  expect(taken(100_000, 10)).toBe(1);
  expect(taken(200_000, 2)).toBe(2);
  for (let times = 0; times < 10; times++) bucket.giveBack();
  expect(taken(200_000, 10)).toBe(3);
});
