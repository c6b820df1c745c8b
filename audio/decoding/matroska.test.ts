import { expect, it } from "vitest";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { tone } from "../testing/signals.js";
import { decodeBytes } from "./decode-bytes.js";
import { type MatroskaPacket, readMatroskaAudio } from "./matroska.js";

/** An element with a length of eight bytes, or one that leaves its length open. */
function element(id: number[], body: Uint8Array, isOpenEnded = false): Buffer {
  const length = Buffer.alloc(8, 0xff);
  if (isOpenEnded) length.writeUInt8(1);
  else length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id), length, body]);
}

const track = (number: number, type: number, codec: string): Buffer =>
  element(
    [0xae],
    Buffer.concat([
      element([0xd7], Buffer.of(number)),
      element([0x83], Buffer.of(type)),
      element([0x86], Buffer.from(codec)),
    ]),
  );
const tracks = element(
  [0x16, 0x54, 0xae, 0x6b],
  Buffer.concat([track(1, 1, "V_VP8"), track(2, 2, "A_OPUS"), track(3, 2, "A_AAC")]),
);
const block = (trackNumber: number, flags: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0x80 | trackNumber, 0, 0, flags), body]);
const simple = (trackNumber: number, flags: number, body: Uint8Array): Buffer =>
  element([0xa3], block(trackNumber, flags, body));

function webm(blocks: Buffer[], isOpenEnded = false): Buffer {
  const cluster = element(
    [0x1f, 0x43, 0xb6, 0x75],
    Buffer.concat([element([0xe7], Buffer.of(0)), ...blocks]),
    isOpenEnded,
  );
  const ebml = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from("webm")));
  return Buffer.concat([
    ebml,
    element([0x18, 0x53, 0x80, 0x67], Buffer.concat([tracks, cluster, cluster]), isOpenEnded),
  ]);
}

const texts = (packets: Iterable<MatroskaPacket>): string[] =>
  Array.from(packets, ({ data }) => Buffer.from(data).toString());

it("reads the first audio track's packets, whichever way they are laced", () => {
  const [xiph, fixed, ebml] = [2, 4, 6];
  const long = "x".repeat(300);
  const file = webm([
    simple(1, 0, Buffer.from("picture")),
    simple(2, 0, Buffer.from("plain")),
    simple(3, 0, Buffer.from("other")),
    simple(2, xiph, Buffer.concat([Buffer.of(2, 255, 45, 3), Buffer.from(`${long}abclast`)])),
    simple(2, fixed, Buffer.concat([Buffer.of(2), Buffer.from("aabbcc")])),
    // 300 as two bytes, then 299 less as a difference around 8191.
    simple(2, ebml, Buffer.concat([Buffer.of(2, 0x41, 0x2c, 0x5e, 0xd4), Buffer.from(`${long}brest`)])),
  ]);
  const once = ["plain", long, "abc", "last", "aa", "bb", "cc", long, "b", "rest"];
  const audio = readMatroskaAudio(file);
  expect([audio.codec, audio.channels, audio.isTransformed]).toEqual(["A_OPUS", 1, false]);
  expect(texts(audio.packets())).toEqual([...once, ...once]);
});

it("reads live recordings, whose segments and clusters do not say how long they are", () => {
  expect(texts(readMatroskaAudio(webm([simple(2, 0, Buffer.from("a"))], true)).packets())).toEqual(["a", "a"]);
});

it("tells what is to be discarded at the end", () => {
  const padding = Buffer.alloc(4);
  padding.writeInt32BE(6_500_000);
  const group = element(
    [0xa0],
    Buffer.concat([element([0xa1], block(2, 0, Buffer.from("p"))), element([0x75, 0xa2], padding)]),
  );
  expect([...readMatroskaAudio(webm([group])).packets()].map(({ discardMs }) => discardMs)).toEqual([6.5, 6.5]);
});

it("stops at what is cut off or has sizes that cannot be", () => {
  const xiph = 2;
  const tooLong = simple(2, xiph, Buffer.concat([Buffer.of(1, 200), Buffer.from("short")]));
  expect(texts(readMatroskaAudio(webm([tooLong, simple(2, 0, Buffer.from("a"))])).packets())).toEqual(["a", "a"]);
  const file = webm([simple(2, 0, Buffer.from("whole"))]);
  expect(texts(readMatroskaAudio(file.subarray(0, -3)).packets())).toEqual(["whole", "wh"]);
  expect(() => readMatroskaAudio(webm([]).subarray(0, 60))).toThrow("without an audio track");
});

it("gives a WebM the length of what went into it", async () => {
  const bytes = ffmpegEncode(tone(440, 3.011, 48_000), 48_000, ["-c:a", "libopus", "-f", "webm"]);
  const { pcm } = await decodeBytes(bytes, { maxSeconds: 10, sampleRate: null });
  expect(Math.abs(pcm.samples.length - 3.011 * 48_000)).toBeLessThan(2);
});
