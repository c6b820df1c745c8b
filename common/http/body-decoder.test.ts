import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ServiceError } from "#protocol/errors";
import { encodeMsgpack, MAX_NESTING, MAX_VALUES } from "#protocol/msgpack";
import { closeBodyDecoder, decodeBody, MAX_INLINE_BYTES } from "./body-decoder.js";
import { type BodyEncoding, decodeBodyHere } from "./body-encoding.js";

afterAll(() => closeBodyDecoder());

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const fileFields = ["audio", "data", "voices"];
const decodeHere = (encoding: BodyEncoding, bytes: Uint8Array): unknown =>
  decodeBodyHere({ encoding, bytes, fileFields });
const decode = (encoding: BodyEncoding, bytes: Uint8Array): Promise<unknown> =>
  decodeBody({ encoding, bytes, fileFields });
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "decoded",
    (error: ServiceError) => error.code,
  );
const file = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 7) % 256));

describe("a body decoded on the calling thread", () => {
  it("is what JSON.parse makes of it, but for files", () => {
    const names = fc.constantFrom("audio", "data", "text", "voices", "a");
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("map"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      map: fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(values.value, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(decodeHere("json", Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each<[string, (bytes: Buffer) => unknown]>([
    ["base64", (bytes) => bytes.toString("base64")],
    ["base64 for addresses, without padding", (bytes) => bytes.toString("base64url")],
    ["a data URL", (bytes) => `data:audio/wav;base64,${bytes.toString("base64")}`],
    ["a list of numbers", (bytes) => [...bytes]],
  ])("carries files as %s", (_name, write) => {
    for (const length of [1500, 1501, 1502, 70_000]) {
      const bytes = file(length);
      const body = {
        text: 'é"]}',
        references: [
          { audio: write(bytes), text: "a" },
          { text: "b", audio: { type: "Buffer", data: write(bytes) } },
        ],
        voices: [write(bytes), write(bytes)],
      };
      const decoded = decodeHere("json", Buffer.from(JSON.stringify(body, null, 1))) as typeof body;
      const taken = [
        decoded.references[0]?.audio,
        (decoded.references[1]?.audio as { data: unknown }).data,
        ...decoded.voices,
      ];
      expect(taken.map((one) => one instanceof Uint8Array && bytes.equals(one))).toEqual([true, true, true, true]);
      expect([decoded.text, decoded.references.map(({ text }) => text)]).toEqual(['é"]}', ["a", "b"]]);
    }
  });

  it("takes files only from the fields that carry them", () => {
    const value = { audio: file(3000).toString("base64"), list: [...file(3000)] };
    expect(decodeBodyHere({ encoding: "json", bytes: json(value) })).toEqual(value);
  });

  it.each<[string, unknown]>([
    ["a long text in a field of another name", { text: file(3000).toString("base64") }],
    ["what is no base64", { audio: "%".repeat(3000) }],
    ["base64 with escapes", { audio: `${"A".repeat(3000)}\n` }],
    ["one character too many", { audio: "A".repeat(4001) }],
    ["a list with a number that is no byte", { data: [...file(3000), 256] }],
    ["a list with fractions", { data: [...file(3000), 1.5] }],
    ["a list of lists", { data: [[...file(10)]] }],
    ["a field of files that is a map", { audio: { text: "A".repeat(3000) } }],
    ["a short file", { audio: "AAAA", data: [1, 2, 3] }],
  ])("leaves %s alone", (_name, value) => {
    expect(decodeHere("json", json(value))).toEqual(value);
  });

  it.each<[BodyEncoding, string, Uint8Array]>([
    ["json", "nested too deep", Buffer.from(`${"[".repeat(MAX_NESTING + 1)}${"]".repeat(MAX_NESTING + 1)}`)],
    ["json", "of too many values", json(new Array(MAX_VALUES).fill(1))],
    ["json", "of too many keys", Buffer.from(`{${new Array(MAX_VALUES).fill('"a":1').join(",")}}`)],
    ["json", "of too many values in a field of files", json({ audio: new Array(MAX_VALUES).fill("a") })],
    ["json", "cut within a file", Buffer.from(`{"audio":"${"A".repeat(3000)}`)],
    ["json", "with leading zeros in a file", Buffer.from(`{"data":[${"01,".repeat(1000)}1]}`)],
    ["json", "with a hole in a file", Buffer.from(`{"data":[${"1,".repeat(1000)},1]}`)],
    ["json", "with two numbers in one place", Buffer.from(`{"data":[${"1,".repeat(1000)}1 1]}`)],
    ["msgpack", "nested too deep", Uint8Array.from([...new Array(MAX_NESTING + 1).fill(0x91), 1])],
    ["msgpack", "of too many items", encodeMsgpack(new Array(MAX_VALUES).fill(1))],
  ])("refuses %s that is %s", (encoding, _name, body) => {
    expect(() => decodeHere(encoding, body)).toThrow(expect.objectContaining({ code: `malformed_${encoding}` }));
  });

  it("takes as many values as the bound says", () => {
    expect(decodeHere("json", json(new Array(MAX_VALUES - 1).fill(1)))).toHaveLength(MAX_VALUES - 1);
    expect(decodeHere("msgpack", encodeMsgpack(new Array(MAX_VALUES - 1).fill(1)))).toHaveLength(MAX_VALUES - 1);
  });
});

describe("a large body", () => {
  const audio = file(2 * MAX_INLINE_BYTES);

  it("is decoded like a small one", async () => {
    const encoded: [BodyEncoding, Uint8Array][] = [
      ["json", json({ text: "a", references: [{ audio: audio.toString("base64"), text: "b" }] })],
      [
        "msgpack",
        encodeMsgpack({
          text: "a",
          references: [
            { audio, text: "b" },
            { audio, text: "c" },
          ],
        }),
      ],
    ];
    for (const [encoding, bytes] of encoded) {
      const decoded = (await decode(encoding, bytes)) as {
        text: string;
        references: { audio: Uint8Array; text: string }[];
      };
      expect([decoded.text, decoded.references[0]?.text]).toEqual(["a", "b"]);
      for (const reference of decoded.references) expect(audio.equals(reference.audio)).toBe(true);
    }
  });

  it("leaves memory alone that is not its own", async () => {
    const shared = Buffer.alloc(4 * MAX_INLINE_BYTES, " ");
    const body = json({ text: "x".repeat(MAX_INLINE_BYTES) });
    shared.set(body, 10);
    await decode("json", shared.subarray(10, 10 + body.length));
    expect(shared.length).toBe(4 * MAX_INLINE_BYTES);
  });

  it("is refused with the same words, and the next one is decoded", async () => {
    const hostile = Buffer.from(`[${"[],".repeat(10_000_000)}[]]`);
    expect(await codeOf(decode("json", hostile))).toBe("malformed_json");
    expect(await codeOf(decode("msgpack", new Uint8Array(30_000_000).fill(0x91)))).toBe("malformed_msgpack");
    expect(await codeOf(decode("json", json({ text: "x".repeat(MAX_INLINE_BYTES) })))).toBe("decoded");
  });
});
