import { expect, it } from "vitest";
import { lengthBucket } from "./length-bucket.js";

it("keeps padding within a bucket below a fifth, and grows with length", () => {
  const shortestOf = new Map<number, number>();
  for (let size = 1; size < 2000; size += 1) {
    const bucket = lengthBucket(size);
    expect(bucket).toBeGreaterThanOrEqual(lengthBucket(Math.max(1, size - 1)));
    if (!shortestOf.has(bucket)) shortestOf.set(bucket, size);
    const shortest = shortestOf.get(bucket) ?? size;
    if (bucket > 0) expect(1 - shortest / size).toBeLessThan(0.2);
  }
  expect(shortestOf.size).toBeLessThan(30);
});
