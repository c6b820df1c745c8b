import { encode } from "@msgpack/msgpack";
import { audio, CANARY, type Case, error, type Expected, problem } from "./case.js";
import { bodyCase, goodSpeech, MSGPACK_TYPE, SPEECH_EVENTS } from "./requests.js";

const malformed = error("malformed_msgpack");
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const text = (value: string): Buffer => Buffer.from(encode(value));
/** A map of one item, `text`, whose value is given as bytes. */
const withText = (value: Buffer): Buffer => Buffer.concat([hex("81"), text("text"), value]);
/** A right request with one more item, given as bytes. */
const withItem = (...item: Buffer[]): Buffer =>
  Buffer.concat([hex("84"), Buffer.from(encode(goodSpeech)).subarray(1), ...item]);

/** What is no MessagePack, or declares what does not come (msgpack specification, "Formats"). */
const broken: [name: string, body: Buffer][] = [
  ["the unused type 0xc1", hex("c1")],
  ["the unused type as a value", withText(hex("c1"))],
  ["the unused type as a key", Buffer.concat([hex("81 c1"), text("Go.")])],
  ["trailing bytes", Buffer.concat([Buffer.from(encode(goodSpeech)), hex("c0")])],
  ["two maps", Buffer.concat([Buffer.from(encode(goodSpeech)), Buffer.from(encode(goodSpeech))])],
  ["JSON", Buffer.from(JSON.stringify(goodSpeech))],
  ["a map of 2^32-1 items", hex("df ffffffff")],
  ["a list of 2^32-1 items", hex("dd ffffffff")],
  ["a string of 2^32-1 bytes", hex("db ffffffff")],
  ["bytes of 2^32-1", hex("c6 ffffffff")],
  ["an extension of 2^32-1 bytes", hex("c9 ffffffff 01")],
  ["a map of 2^16-1 items", hex("de ffff")],
  ["a list of 2^16-1 items", hex("dc ffff")],
  ["a text of 2^32-1 bytes", withText(hex("db ffffffff 476f2e"))],
  ["a text of 2^31 bytes", withText(hex("db 80000000 476f2e"))],
  ["a list of 2^32-1 in a list of 2^32-1", hex("dd ffffffff dd ffffffff")],
  ["a map one item short", hex("82 a474657874 a3476f2e")],
  ["references of 2^32-1", withItem(text("references"), hex("dd ffffffff"))],
  ["__proto__ as a key", withItem(text("__proto__"), hex("80"))],
  ["null as a key", withItem(hex("c0 c0"))],
  ["a list as a key", withItem(hex("90 c0"))],
  ["a map as a key", withItem(hex("80 c0"))],
  ["a boolean as a key", withItem(hex("c3 c0"))],
  ["lists nested 100,000 deep", Buffer.alloc(100_000, 0x91)],
  ["whole lists nested 100,000 deep", Buffer.concat([Buffer.alloc(100_000, 0x91), hex("c0")])],
  ["maps nested 10,000 deep", Buffer.concat([...Array(10_000).fill(hex("81 a161")), hex("c0")])],
  ["a field nested 1,000 deep", withItem(text("x"), Buffer.alloc(1000, 0x91), hex("c0"))],
  ["a tower of declared lists", Buffer.concat([...Array(30).fill(hex("dd 00ffffff"))])],
];

/** Well-formed, and not what a request is. */
const wrong: [name: string, body: Buffer, loc: string[]][] = [
  ["nil", hex("c0"), []],
  ["false", hex("c2"), []],
  ["a fixint", hex("7f"), []],
  ["a negative fixint", hex("ff"), []],
  ["a float32", hex("ca 7fc00000"), []],
  ["a float64", hex("cb 7ff8000000000000"), []],
  ["a uint64", hex("cf ffffffffffffffff"), []],
  ["bytes", hex("c4 03 476f2e"), []],
  ["a string", hex("a3 476f2e"), []],
  ["an empty list", hex("90"), []],
  ["a timestamp", hex("d6 ff 00000000"), []],
  ["an extension", hex("d4 05 00"), []],
  ["text as bytes", withText(hex("c4 03 476f2e")), ["text"]],
  ["text as an extension", withText(hex("c7 03 05 476f2e")), ["text"]],
  ["text as a timestamp", withText(hex("d6 ff 00000000")), ["text"]],
  ["text as a long timestamp", withText(hex("c7 0c ff 00000000 0000000000000000")), ["text"]],
  ["text as nil", withText(hex("c0")), ["text"]],
  ["text as NaN", withText(hex("cb 7ff8000000000000")), ["text"]],
  ["text as a uint64", withText(hex("cf ffffffffffffffff")), ["text"]],
  ["keys that are numbers", hex("81 01 02"), ["text"]],
];

/**
 * Whether bytes that are no UTF-8 are refused or read as replacement marks is left open; that they do no harm is not.
 */
const notUtf8 = ["80", "c3", "e282", "c0af", "eda080", "f4908080", "ff", "fe80", "e2"];

export function msgpackBodyCases(): Case[] {
  const whole = Buffer.from(
    encode({
      ...goodSpeech,
      prosody: { speed: 1.5, volume: -3 },
      features: ["a"],
      references: [{ audio: Buffer.alloc(12, 7), text: CANARY }],
      temperature: 0.5,
    }),
  );
  const cuts = Array.from({ length: whole.length - 1 }, (_, index) => index + 1);
  const lenient: Expected[] = [...audio, ...malformed];
  return [
    ...cuts.map((cut) =>
      bodyCase(`MessagePack cut after ${cut} bytes`, MSGPACK_TYPE, whole.subarray(0, cut), malformed),
    ),
    ...cuts
      .filter((cut) => cut % 12 === 0)
      .map((cut) =>
        bodyCase(`timestamps: MessagePack cut after ${cut} bytes`, MSGPACK_TYPE, whole.subarray(0, cut), malformed, {
          path: SPEECH_EVENTS,
        }),
      ),
    ...broken.map(([name, body]) => bodyCase(`no MessagePack: ${name}`, MSGPACK_TYPE, body, malformed)),
    ...wrong.map(([name, body, loc]) => bodyCase(`MessagePack: ${name}`, MSGPACK_TYPE, body, problem("body", ...loc))),
    bodyCase("MessagePack: an extension for a map", MSGPACK_TYPE, withItem(text("x"), hex("c7 00 05")), audio),
    ...notUtf8.map((bytes) => {
      const value = Buffer.concat([Buffer.from("Go "), hex(bytes)]);
      return bodyCase(
        `MessagePack text with ${bytes}`,
        MSGPACK_TYPE,
        withItem(text("text"), Buffer.concat([Buffer.of(0xa0 + value.length), value])),
        lenient,
      );
    }),
    bodyCase(
      "MessagePack: 300 bytes of no UTF-8",
      MSGPACK_TYPE,
      withItem(text("text"), hex("da 012c"), Buffer.from("Go "), Buffer.alloc(297, 0x80)),
      lenient,
    ),
    bodyCase("MessagePack: the same key twice", MSGPACK_TYPE, withItem(text("text"), text("On.")), lenient),
    bodyCase("MessagePack: a key of no characters", MSGPACK_TYPE, withItem(hex("a0 c0")), audio),
    bodyCase("MessagePack: a number as a key", MSGPACK_TYPE, withItem(hex("cd ffff c0")), lenient),
    bodyCase("MessagePack: constructor as a key", MSGPACK_TYPE, withItem(text("constructor"), hex("80")), audio),
    bodyCase(
      "MessagePack: the longest headers",
      MSGPACK_TYPE,
      Buffer.concat([hex("df 00000003"), Buffer.from(encode(goodSpeech)).subarray(1)]),
      audio,
    ),
  ];
}
