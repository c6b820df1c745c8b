import { encode } from "@msgpack/msgpack";
import { CANARY, type Case, type LiveExpected } from "./case.js";
import { flush, goodSpeech, goodStart, liveCase, stop, textEvent } from "./requests.js";

const refused: LiveExpected[] = [{ kind: "error" }];
const spoken: LiveExpected[] = [{ kind: "stop", audio: true }];
const quiet: LiveExpected[] = [{ kind: "stop", audio: false }];
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Frames that are no event (docs/protocol.md "The live socket"). */
const noEvents: [name: string, frame: Uint8Array | string | object][] = [
  ["a text frame", CANARY],
  ["JSON in a text frame", JSON.stringify(goodStart)],
  ["an empty text frame", ""],
  ["JSON in a binary frame", Buffer.from(JSON.stringify(goodStart))],
  ["an empty frame", Buffer.alloc(0)],
  ["the unused type", hex("c1")],
  ["nil", hex("c0")],
  ["a number", hex("05")],
  ["a string", Buffer.from(encode(CANARY))],
  ["a list", Buffer.from(encode(["start", {}]))],
  ["bytes", Buffer.from(encode(Buffer.from(CANARY)))],
  ["an extension", hex("d4 05 00")],
  ["a map of 2^32-1", hex("df ffffffff")],
  ["a list of 2^32-1 in another", hex("dd ffffffff dd ffffffff")],
  ["a text of 2^32-1", Buffer.concat([hex("82 a5 6576656e74 a4 74657874 a4 74657874 db ffffffff")])],
  ["lists nested 100,000 deep", Buffer.alloc(100_000, 0x91)],
  ["two events in a frame", Buffer.concat([Buffer.from(encode(goodStart)), Buffer.from(encode(stop))])],
  ["an empty map", {}],
  ["no event", { request: goodSpeech }],
  ["event nil", { event: null }],
  ["event a number", { event: 1 }],
  ["event a list", { event: ["start"] }],
  ["event as bytes", { event: Buffer.from("start") }],
  ["an unknown event", { event: CANARY }],
  ["an event of another case", { event: "Start", request: goodSpeech }],
  ["an event with a space", { event: "start ", request: goodSpeech }],
  ["an event of the server", { event: "audio", audio: Buffer.alloc(10) }],
  ["the server's finish", { event: "finish", reason: "stop" }],
  ["an event of the class's name", { event: "close" }],
  ["an event called constructor", { event: "constructor" }],
];

const badStarts: [name: string, frame: object][] = [
  ["no request", { event: "start" }],
  ["request nil", { event: "start", request: null }],
  ["request a text", { event: "start", request: CANARY }],
  ["request a list", { event: "start", request: [goodSpeech] }],
  ["request bytes", { event: "start", request: Buffer.from(CANARY) }],
  ["request a number", { event: "start", request: 5 }],
];

const badTexts: [name: string, frame: object][] = [
  ["no text", { event: "text" }],
  ["text nil", textEvent(null)],
  ["text a number", textEvent(5)],
  ["text a list", textEvent([CANARY])],
  ["text a map", textEvent({ [CANARY]: 1 })],
  ["text as bytes", textEvent(Buffer.from(CANARY))],
  ["text true", textEvent(true)],
];

/** `start` comes first and once; after `stop` the stream is drained and finished, whatever else arrives. */
function orderCases(): Case[] {
  const go = textEvent("Go.");
  // Nothing was asked for, or the order was broken: the page decides neither.
  const either: LiveExpected[] = [...quiet, ...refused];
  const oneMiB = 1024 * 1024;
  return [
    liveCase("text before start", [go, goodStart, stop], refused),
    liveCase("flush before start", [flush, goodStart, stop], refused),
    liveCase("stop before start", [stop], either),
    liveCase("stop, then start", [stop, goodStart, go], either),
    liveCase("start twice", [goodStart, goodStart, go, stop], refused),
    liveCase("start again after text", [goodStart, go, goodStart, stop], refused),
    liveCase("start and stop", [goodStart, stop], quiet),
    liveCase("start, flush, stop", [goodStart, flush, stop], quiet),
    liveCase("an empty text", [goodStart, textEvent(""), stop], quiet),
    liveCase("1,000 empty texts", [goodStart, ...Array<object>(1000).fill(textEvent("")), stop], quiet),
    liveCase("text in start", [{ event: "start", request: goodSpeech }, stop], spoken),
    liveCase("start without a text", [{ event: "start", request: { format: "pcm" } }, go, stop], spoken),
    liveCase("start with text nil", [{ event: "start", request: { ...goodSpeech, text: null } }, go, stop], spoken),
    liveCase(
      "start with every field nil",
      [
        { event: "start", request: { text: "", format: null, prosody: null, references: null, reference_id: null } },
        go,
        stop,
      ],
      spoken,
    ),
    liveCase(
      "unknown fields in events",
      [
        { ...goodStart, [CANARY]: 1 },
        { ...go, [CANARY]: 1 },
        { ...flush, [CANARY]: 1 },
        { ...stop, [CANARY]: 1 },
      ],
      spoken,
    ),
    liveCase("stop twice", [goodStart, go, stop, stop], spoken),
    liveCase("text after stop", [goodStart, go, stop, textEvent(CANARY)], spoken),
    liveCase("flush after stop", [goodStart, go, stop, flush], spoken),
    liveCase("rubbish after stop", [goodStart, go, stop, hex("c1"), "text"], spoken),
    liveCase("1,000 flushes", [goodStart, go, ...Array<object>(1000).fill(flush), stop], spoken),
    liveCase(
      "a flush after each letter",
      [goodStart, ..."abcde".split("").flatMap((letter) => [textEvent(letter), flush]), stop],
      spoken,
    ),
    liveCase("fifty pings", [goodStart, { pings: 25 }, go, { pings: 25 }, stop], spoken),
    liveCase("10,000 pings", [goodStart, { pings: 10_000 }, go, stop], [{ kind: "closed-for-policy" }]),
    liveCase("pings before anything", [{ pings: 1000 }, goodStart, go, stop], [{ kind: "closed-for-policy" }]),
    liveCase("rubbish in the middle", [goodStart, go, hex("c1"), stop], refused),
    liveCase(
      "a text of 1 MiB and a byte",
      [goodStart, textEvent("a".repeat(oneMiB + 1)), stop],
      [{ kind: "error", tooLarge: true }],
    ),
    liveCase(
      "a text of 1 MiB in two-byte letters and one more",
      [goodStart, textEvent(`${"é".repeat(oneMiB / 2)}a`)],
      [{ kind: "error", tooLarge: true }],
    ),
    liveCase(
      "2 MiB of text before it can be spoken",
      [goodStart, ...Array<object>(32).fill(textEvent("a".repeat(65_536)))],
      [{ kind: "error", tooLarge: true }],
    ),
    liveCase(
      "1 MiB of text in start and more",
      [{ event: "start", request: { ...goodSpeech, text: "a".repeat(999_999) } }, textEvent("a".repeat(oneMiB))],
      [{ kind: "error", tooLarge: true }],
    ),
    liveCase("a frame over the limit", [goodStart, Buffer.alloc(32 * oneMiB + 1000)], [{ kind: "broken-off" }]),
    liveCase("a frame far over the limit", [goodStart, Buffer.alloc(40 * oneMiB)], [{ kind: "broken-off" }]),
    liveCase("leaving at once", ["leave"], [{ kind: "left" }]),
    liveCase("leaving after start", [goodStart, "leave"], [{ kind: "left" }]),
    liveCase(
      "leaving in the middle",
      [goodStart, textEvent("This is a long sentence that nobody will hear. ".repeat(50)), "leave"],
      [{ kind: "left" }],
    ),
    liveCase(
      "leaving after stop",
      [goodStart, textEvent("This is a long sentence that nobody will hear. ".repeat(50)), stop, "leave"],
      [{ kind: "left" }],
    ),
  ];
}

export function liveEventCases(): Case[] {
  const start = Buffer.from(encode(goodStart));
  const text = Buffer.from(encode(textEvent("Go.")));
  return [
    ...noEvents.flatMap(([name, frame]) => [
      liveCase(`first frame ${name}`, [frame, goodStart, stop], refused),
      liveCase(`frame after start: ${name}`, [goodStart, textEvent("Go."), frame, stop], refused),
    ]),
    ...badStarts.map(([name, frame]) => liveCase(`start with ${name}`, [frame, stop], refused)),
    ...badTexts.map(([name, frame]) => liveCase(`text event: ${name}`, [goodStart, frame, stop], refused)),
    ...Array.from({ length: start.length - 1 }, (_, index) =>
      liveCase(`start cut after ${index + 1} bytes`, [start.subarray(0, index + 1), stop], refused),
    ),
    ...Array.from({ length: text.length - 1 }, (_, index) =>
      liveCase(`text cut after ${index + 1} bytes`, [goodStart, text.subarray(0, index + 1), stop], refused),
    ),
    ...orderCases(),
  ];
}
