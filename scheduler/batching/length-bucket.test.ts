import { expect, it } from "vitest";
import { lengthBucket } from "./length-bucket.js";

it("keeps padding within a bucket below a fifth, and grows with length", () => {
  const shortestOf = new Map<number, number>();
  for (let characters = 1; characters < 2000; characters += 1) {
    const bucket = lengthBucket(characters);
    expect(bucket).toBeGreaterThanOrEqual(lengthBucket(Math.max(1, characters - 1)));
    if (!shortestOf.has(bucket)) shortestOf.set(bucket, characters);
    const shortest = shortestOf.get(bucket) ?? characters;
    if (bucket > 0) expect(1 - shortest / characters).toBeLessThan(0.2);
  }
  expect(shortestOf.size).toBeLessThan(30);
});
