import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeMsgpack, encodeMsgpack, MAX_NESTING } from "./msgpack.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const repeated = (count: number, ...values: number[]): number[] => new Array<number[]>(count).fill(values).flat();

describe("MessagePack", () => {
  it("gives back what was encoded", () => {
    const hasNoProto = (value: unknown): boolean => !JSON.stringify(value).includes("__proto__");
    const plain = fc
      .jsonValue({ maxDepth: 5 })
      .filter(hasNoProto)
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(plain, (value) => {
        expect(decodeMsgpack(encodeMsgpack(value))).toEqual(value);
      }),
    );
  });

  it.each([1, 200, 40_000, 70_000])("carries %i bytes and a string as long", (length) => {
    const value = { audio: new Uint8Array(length).fill(7), text: "é".repeat(length), list: new Array(length).fill(-5) };
    expect(decodeMsgpack(encodeMsgpack(value))).toEqual(value);
  });

  it("reads every number width", () => {
    const values = [
      0,
      127,
      128,
      255,
      256,
      65_535,
      65_536,
      2 ** 32,
      2 ** 40,
      -1,
      -32,
      -33,
      -129,
      -32_769,
      -(2 ** 33),
      0.5,
      true,
      false,
      null,
    ];
    expect(decodeMsgpack(encodeMsgpack(values))).toEqual(values);
    const date = new Date(1_700_000_000_123);
    expect(decodeMsgpack(encodeMsgpack({ date }))).toEqual({ date });
  });

  it.each([
    ["nothing", bytes()],
    ["a truncated string", bytes(0xd9, 5, 65)],
    ["a truncated map", bytes(0x82, 0xa1, 65)],
    ["an array that declares 4 billion items", bytes(0xdd, 0xff, 0xff, 0xff, 0xff)],
    ["a map that declares 4 billion pairs", bytes(0xdf, 0xff, 0xff, 0xff, 0xff)],
    ["a bin of 4 GB", bytes(0xc6, 0xff, 0xff, 0xff, 0xff, 1)],
    ["trailing bytes", bytes(1, 2)],
    ["the type that does not exist", bytes(0xc1)],
    ["a __proto__ key", bytes(0x81, 0xa9, ...Buffer.from("__proto__"), 0x80)],
    ["nesting past the limit", bytes(...repeated(MAX_NESTING + 1, 0x91), 1)],
    ["ten thousand nested arrays", bytes(...repeated(10_000, 0x91), 1)],
    ["nested claims of a million items", bytes(...repeated(30, 0xdd, 0, 0x0f, 0, 0))],
  ])("refuses %s", (_name, input) => {
    expect(() => decodeMsgpack(input)).toThrow();
  });

  it("accepts nesting up to the limit", () => {
    expect(() => decodeMsgpack(bytes(...repeated(MAX_NESTING, 0x91), 1))).not.toThrow();
  });
});
