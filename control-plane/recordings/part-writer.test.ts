import { expect, it } from "vitest";
import { RECORDING_PART_BYTES } from "#protocol/bus/recording";
import { PartWriter } from "./part-writer.js";

const pagesOf = (lengths: readonly number[]): Uint8Array[] =>
  lengths.map((length, index) => new Uint8Array(length).fill(index + 1));

it.each([
  [[]],
  [[1]],
  [[RECORDING_PART_BYTES]],
  [[RECORDING_PART_BYTES, 1]],
  [[2 * RECORDING_PART_BYTES]],
  [[3 * RECORDING_PART_BYTES + 17]],
  [Array.from({ length: 300 }, (_, index) => 3000 + index)],
])("a file that is cut into parts has all of its bytes in order: pages of %j", async (lengths) => {
  const parts: Uint8Array[] = [];
  const ends: boolean[] = [];
  const writer = new PartWriter(RECORDING_PART_BYTES, async (part, bytes, isLast) => {
    expect(part).toBe(parts.length);
    parts.push(bytes);
    ends.push(isLast);
  });
  const pages = pagesOf(lengths);
  for (let at = 0; at < pages.length; at += 7) await writer.write(pages.slice(at, at + 7));
  const whole = Buffer.concat(pages);
  expect(await writer.finish()).toBe(whole.length);
  expect(Buffer.compare(Buffer.concat(parts), whole)).toBe(0);
  expect(parts.slice(0, -1).every((part) => part.length === RECORDING_PART_BYTES)).toBe(true);
  expect(ends).toEqual(parts.map((_, index) => index === parts.length - 1));
});
