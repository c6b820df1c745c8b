import { audio, CANARY, type Case, error, type Expected, problem } from "./case.js";
import { badSamples, compressedSamples, goodSample } from "./samples.js";
import { bothEncodings, goodSpeech, goodStart, jsonCase, liveCase, msgpackCase, stop } from "./requests.js";

const unusable = error("bad_reference_audio");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const withReferences = (references: unknown): object => ({ ...goodSpeech, references });
const flatTo = (value: unknown): object => withReferences([{ audio: value, text: CANARY }]);
const atAudio = problem("body", "references", 0, "audio");

/** Encodings of the sample that are none (base64, data URL, a Buffer as JSON and a list of bytes are). */
const notBytes: [name: string, value: unknown][] = [
  ["no base64", `!!${CANARY}!!`],
  ["base64 of impossible length", "AAAAA"],
  ["base64 with a mark inside", "AAAA=AAA"],
  ["too much padding", "AAAA===="],
  ["a URL", "https://example.com/sample.wav"],
  ["a file path", "../../etc/passwd"],
  ["a data URL without a comma", "data:audio/wav;base64"],
  ["a data URL that is not base64", "data:audio/wav,abc"],
  ["a data URL of rubbish", "data:audio/wav;base64,!!!!"],
  ["a number", 5],
  ["true", true],
  ["null", null],
  ["a map", { [CANARY]: 1 }],
  ["a Buffer without data", { type: "Buffer" }],
  ["a Buffer of text", { type: "Buffer", data: CANARY }],
  ["a Buffer of large numbers", { type: "Buffer", data: [1, 256] }],
  ["a Buffer of fractions", { type: "Buffer", data: [1.5] }],
  ["a list with a negative number", [1, -1]],
  ["a list of texts", ["1", "2"]],
  ["a list of lists", [[1], [2]]],
];

const good = { audio: base64(goodSample), text: "" };

function shapeCases(): Case[] {
  const shapes: [name: string, references: unknown, expected: Expected[]][] = [
    ["17 samples", Array(17).fill({ audio: "AAAA" }), problem("body", "references")],
    ["17 speakers", Array(17).fill([{ audio: "AAAA" }]), problem("body", "references")],
    ["17 samples of one speaker", [Array(17).fill({ audio: "AAAA" })], problem("body", "references")],
    ["flat and nested mixed", [good, [good]], problem("body", "references")],
    ["nested and flat mixed", [[good], good], problem("body", "references")],
    ["three levels", [[[good]]], problem("body", "references")],
    ["a speaker without samples", [[]], unusable],
    ["one speaker with, one without samples", [[good], []], unusable],
    ["a transcript that is a number", [{ ...good, text: 5 }], problem("body", "references", 0, "text")],
    ["a transcript that is a list", [{ ...good, text: [CANARY] }], problem("body", "references", 0, "text")],
    ["one good, one bad sample", [good, { audio: base64(Buffer.from(CANARY)) }], unusable],
    ["unknown fields in a sample", [{ ...good, [CANARY]: 1 }], audio],
    ["two good speakers", [[good], [good]], audio],
    ["no samples", [], audio],
  ];
  return shapes.map(([name, references, expected]) =>
    jsonCase(`references: ${name}`, withReferences(references), expected),
  );
}

export function referenceCases(): Case[] {
  const either: Expected[] = [...audio, ...unusable];
  return [
    ...notBytes.map(([name, value]) => jsonCase(`sample: ${name}`, flatTo(value), atAudio)),
    ...notBytes.slice(0, 4).map(([name, value]) => msgpackCase(`sample: ${name}`, flatTo(value), atAudio)),
    ...badSamples.map(([name, bytes]) => msgpackCase(`sample: ${name}`, flatTo(bytes), unusable)),
    ...badSamples
      .filter((_, index) => index % 6 === 0)
      .map(([name, bytes]) => jsonCase(`sample: ${name}`, flatTo(base64(bytes)), unusable)),
    msgpackCase("sample of no bytes", flatTo(Buffer.alloc(0)), [...unusable, ...atAudio]),
    jsonCase("sample of no characters", flatTo(""), [...unusable, ...atAudio]),
    jsonCase("sample as an empty list", flatTo([]), [...unusable, ...atAudio]),
    jsonCase("sample as an empty data URL", flatTo("data:audio/wav;base64,"), [...unusable, ...atAudio]),
    msgpackCase("20 MB of rubbish", flatTo(Buffer.alloc(20_000_000, 0x41)), unusable),
    ...compressedSamples.flatMap(([name, bytes]) =>
      [0.1, 0.5, 0.9, 0.99].map((share) =>
        msgpackCase(
          `${name} cut at ${share * 100} %`,
          flatTo(bytes.subarray(0, Math.floor(bytes.length * share))),
          either,
        ),
      ),
    ),
    ...compressedSamples.map(([name, bytes]) => msgpackCase(`whole ${name}`, flatTo(bytes), audio)),
    ...shapeCases(),
    ...[badSamples[2], badSamples[22]].flatMap((sample) => {
      const [name, bytes] = sample ?? ["", Buffer.alloc(0)];
      return [
        liveCase(
          `live sample: ${name}`,
          [{ event: "start", request: flatTo(bytes) }, stop],
          [{ kind: "error", contains: "Reference audio" }],
        ),
      ];
    }),
    liveCase(
      "live sample of another kind",
      [{ event: "start", request: flatTo(5) }],
      [{ kind: "error", contains: "references" }],
    ),
  ];
}

/** Names of voices that nobody has. */
const strangeIds = [
  CANARY,
  "0",
  "f".repeat(32),
  "F".repeat(32),
  "f".repeat(33),
  "../../etc/passwd",
  "%00",
  "a\u0000b",
  "'; DROP TABLE voices; --",
  "*",
  ">",
  "parley.*",
  " ",
  "null",
  "undefined",
  "__proto__",
  "🙂",
  "\ud800",
  "x".repeat(100_000),
];

export function referenceIdCases(): Case[] {
  const unknown = error("unknown_reference");
  const spoken = "<|speaker:0|>Go. <|speaker:1|>On. <|speaker:7|>Stop.";
  return [
    ...strangeIds.flatMap((id) =>
      bothEncodings(`reference_id ${JSON.stringify(id).slice(0, 40)}`, { ...goodSpeech, reference_id: id }, unknown),
    ),
    jsonCase("a list of an unknown voice", { ...goodSpeech, reference_id: [CANARY] }, unknown),
    jsonCase("16 unknown voices", { ...goodSpeech, reference_id: Array(16).fill("f".repeat(32)) }, unknown),
    jsonCase(
      "17 voices",
      { ...goodSpeech, reference_id: Array(17).fill("f".repeat(32)) },
      problem("body", "reference_id"),
    ),
    jsonCase(
      "an unknown voice wins over samples",
      { ...goodSpeech, reference_id: CANARY, references: [good] },
      unknown,
    ),
    jsonCase("speaker tags without speakers", { ...goodSpeech, text: spoken }, audio),
    jsonCase("more speaker tags than samples", { ...goodSpeech, text: spoken, references: [[good]] }, audio),
    liveCase(
      "a live stream in an unknown voice",
      [{ event: "start", request: { ...goodSpeech, reference_id: CANARY } }, stop],
      [{ kind: "error", contains: "Reference voice not found" }],
    ),
    liveCase(
      "live speaker tags without speakers",
      [goodStart, { event: "text", text: spoken }, stop],
      [{ kind: "stop", audio: true }],
    ),
  ];
}
