import { expect, it } from "vitest";
import { SMALLEST_STREAM_BYTES, sizesToTry } from "./stream-size.js";

const MIB = 1024 * 1024;

it("asks for less and less, down to what a stream is good for", () => {
  expect(sizesToTry(8 * MIB, null)).toEqual([8 * MIB, 4 * MIB, 2 * MIB, SMALLEST_STREAM_BYTES]);
  expect(sizesToTry(MIB / 2, null)).toEqual([MIB / 2]);
});

it("gives up no room that a stream has", () => {
  expect(sizesToTry(8 * MIB, 3 * MIB)).toEqual([8 * MIB, 4 * MIB, 3 * MIB]);
  expect(sizesToTry(8 * MIB, 8 * MIB)).toEqual([8 * MIB]);
  // A server of another opinion: the stream was larger, and is what this release wants from now on.
  expect(sizesToTry(8 * MIB, 64 * MIB)).toEqual([8 * MIB]);
});
