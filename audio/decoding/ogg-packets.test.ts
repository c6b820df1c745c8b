import { expect, it } from "vitest";
import { createOggPages } from "../encoding/ogg-pages.js";
import { type OggPacket, readOggPackets } from "./ogg-packets.js";

const text = (packets: Iterable<OggPacket>): string[] =>
  Array.from(packets, ({ data }) => Buffer.from(data).toString());
const packet = (content: string): Uint8Array => Buffer.from(content);

/** A page by hand: its lacing need not fit its packets. */
function page(options: { serial?: number; flags?: number; lacing: number[]; body: string; granule?: bigint }): Buffer {
  const { serial = 1, flags = 0, lacing, body, granule = -1n } = options;
  const head = Buffer.alloc(27);
  head.write("OggS");
  head.writeUInt8(flags, 5);
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt8(lacing.length, 26);
  return Buffer.concat([head, Buffer.from(lacing), Buffer.from(body)]);
}

it("gives the packets of a page, the page's place with its last", () => {
  const write = createOggPages(1);
  const file = Buffer.concat([
    write([packet("one"), packet("two"), packet("")], { granulePosition: 7 }),
    write([packet("three")], { granulePosition: 9, last: true }),
  ]);
  const packets = [...readOggPackets(file)];
  expect(text(packets)).toEqual(["one", "two", "", "three"]);
  expect(packets.map(({ granulePosition, isLast }) => [granulePosition, isLast])).toEqual([
    [null, false],
    [null, false],
    [7, false],
    [9, true],
  ]);
});

it("joins a packet over pages, and reads one of exactly 255 bytes", () => {
  const long = "x".repeat(255);
  const file = Buffer.concat([
    page({ lacing: [255, 0, 255], body: `${long}${long}`, granule: 1n }),
    page({ serial: 2, lacing: [5], body: "other" }),
    page({ flags: 1, lacing: [255], body: long }),
    page({ flags: 1, lacing: [3, 1], body: "endz", granule: 2n }),
  ]);
  const packets = [...readOggPackets(file)];
  expect(text(packets)).toEqual([long, `${long}${long}end`, "z"]);
  expect(packets.map(({ granulePosition }) => granulePosition)).toEqual([1, null, 2]);
});

it("leaves out what lost its beginning or its end, and goes on behind damage", () => {
  const file = Buffer.concat([
    page({ lacing: [1, 255], body: `a${"y".repeat(255)}` }),
    Buffer.from("junk, OggS of another version"),
    page({ lacing: [1], body: "b" }),
    page({ flags: 1, lacing: [4, 1], body: "lostc" }),
    page({ flags: 4, lacing: [1], body: "d" }),
    page({ lacing: [1], body: "e" }),
  ]);
  expect(text(readOggPackets(file))).toEqual(["a", "b", "c", "d"]);
});

it("reads a page that the end of the file cuts off, and nothing of what is no Ogg", () => {
  const cut = page({ lacing: [2, 4], body: "abcdef" }).subarray(0, -3);
  expect(text(readOggPackets(cut))).toEqual(["ab", "c"]);
  expect(text(readOggPackets(Buffer.from("OggS")))).toEqual([]);
  expect(text(readOggPackets(Buffer.alloc(1000)))).toEqual([]);
});
