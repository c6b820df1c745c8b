import { audio, CANARY, type Case, error, type Expected } from "./case.js";
import { bodyCase, goodSpeech, JSON_TYPE, SPEECH_EVENTS } from "./requests.js";

const malformed = error("malformed_json");
const whole = JSON.stringify({
  text: `Go. ${CANARY} é 🙂`,
  reference_id: null,
  references: [],
  format: "pcm",
  sample_rate: 8000,
  prosody: { speed: 1.5, volume: -3, normalize_loudness: true },
  latency: "balanced",
  chunk_length: 200,
  min_chunk_length: 50,
  temperature: 0.7,
  top_p: 0.7,
  repetition_penalty: 1.2,
  max_new_tokens: 1024,
  normalize: true,
  condition_on_previous_chunks: true,
  early_stop_threshold: 1,
  features: ["quality-guard", "x"],
});

/** Texts that are no JSON (RFC 8259), and why. */
const broken: [name: string, body: Uint8Array | string][] = [
  ["one brace", "{"],
  ["a closing brace", "}"],
  ["only white space", " \n "],
  ["a bare word", CANARY],
  ["undefined", "undefined"],
  ["NaN", '{"text":"Go.","temperature":NaN}'],
  ["Infinity", '{"text":"Go.","temperature":Infinity}'],
  ["a hexadecimal number", '{"text":"Go.","chunk_length":0xC8}'],
  ["a number with a leading zero", '{"text":"Go.","chunk_length":0200}'],
  ["a number with a leading plus", '{"text":"Go.","chunk_length":+200}'],
  ["a number without digits", '{"text":"Go.","chunk_length":-}'],
  ["a number that ends in a point", '{"text":"Go.","chunk_length":200.}'],
  ["single quotes", "{'text':'Go.'}"],
  ["an unquoted key", '{text:"Go."}'],
  ["a trailing comma", '{"text":"Go.",}'],
  ["a doubled comma", '{"text":"Go.",,"format":"pcm"}'],
  ["a missing colon", '{"text" "Go."}'],
  ["a missing value", '{"text":}'],
  ["a comment", '{"text":"Go." /* loud */}'],
  ["a line end inside a string", '{"text":"Go\non"}'],
  ["a NUL inside a string", '{"text":"Go\u0000on"}'],
  ["an unknown escape", '{"text":"\\x41"}'],
  ["a short escape", '{"text":"\\u12"}'],
  ["two values", '{"text":"Go."}{"text":"Go."}'],
  ["a value and a brace", '{"text":"Go."}}'],
  ["JSON lines", '{"text":"Go."}\n{"text":"on"}\n'],
  ["XML", "<?xml version='1.0'?><text>Go.</text>"],
  ["a form", "text=Go.&format=pcm"],
  ["YAML", "text: Go."],
  ["MessagePack", Uint8Array.of(0x81, 0xa4, 0x74, 0x65, 0x78, 0x74, 0xa3, 0x47, 0x6f, 0x2e)],
  ["100,000 opening brackets", "[".repeat(100_000)],
  ["100,000 opening braces", '{"a":'.repeat(100_000)],
  ["100,000 nested lists", "[".repeat(100_000) + "]".repeat(100_000)],
  ["nesting a million deep in a field", `{"text":"Go.","x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
  ["maps nested 1,000 deep", `${'{"text":'.repeat(1000)}"Go."${"}".repeat(1000)}`],
  ["UTF-16", Buffer.from(JSON.stringify(goodSpeech), "utf16le")],
  ["UTF-16 with its mark", Buffer.from(`\ufeff${JSON.stringify(goodSpeech)}`, "utf16le")],
  ["gzip", Buffer.from("1f8b0800000000000003ab562a49ad28512a52b252724fd753aa0500a1b2d3e412000000", "hex")],
  ["random bytes", Buffer.from("b1946ac92492d2347c6235b4d2611184e5c2", "hex")],
];

/** Byte sequences that are not UTF-8 (RFC 3629), put into a text. */
const notUtf8: [name: string, hex: string][] = [
  ["a lone continuation", "80"],
  ["a truncated sequence", "c3"],
  ["a truncated sequence of three", "e282"],
  ["an overlong slash", "c0af"],
  ["an overlong NUL", "c080"],
  ["an overlong sequence of three", "e08080"],
  ["a surrogate", "eda080"],
  ["beyond U+10FFFF", "f4908080"],
  ["five bytes", "f888808080"],
  ["0xFE", "fe"],
  ["0xFF", "ff"],
  ["Latin-1", "e9"],
];

export function jsonBodyCases(): Case[] {
  const bytes = Buffer.from(whole);
  const cuts = Array.from({ length: Math.floor((bytes.length - 1) / 10) }, (_, index) => (index + 1) * 10);
  return [
    ...cuts.map((cut) => bodyCase(`JSON cut after ${cut} bytes`, JSON_TYPE, bytes.subarray(0, cut), malformed)),
    ...cuts
      .filter((_, index) => index % 8 === 0)
      .map((cut) =>
        bodyCase(`timestamps: JSON cut after ${cut} bytes`, JSON_TYPE, bytes.subarray(0, cut), malformed, {
          path: SPEECH_EVENTS,
        }),
      ),
    ...broken.map(([name, body]) => bodyCase(`no JSON: ${name}`, JSON_TYPE, body, malformed)),
    ...notUtf8.map(([name, hex]) => {
      const body = Buffer.concat([Buffer.from('{"text":"Go '), Buffer.from(hex, "hex"), Buffer.from('"}')]);
      return bodyCase(`no UTF-8: ${name}`, JSON_TYPE, body, malformed);
    }),
    ...oddButGood(),
    bodyCase("a number beyond any", JSON_TYPE, '{"text":"Go.","temperature":1e999}', [
      { kind: "problem", loc: ["body", "temperature"] },
    ]),
    bodyCase("a million digits", JSON_TYPE, `{"text":"Go.","chunk_length":${"9".repeat(1_000_000)}}`, [
      { kind: "problem", loc: ["body", "chunk_length"] },
    ]),
    bodyCase(
      "many unknown fields",
      JSON_TYPE,
      `{"text":"..."${Array.from({ length: 20_000 }, (_, index) => `,"k${index}":0`).join("")}}`,
      error("nothing_to_speak"),
    ),
    bodyCase(
      "more fields than any request has",
      JSON_TYPE,
      `{"text":"Go."${Array.from({ length: 300_000 }, (_, index) => `,"k${index}":0`).join("")}}`,
      malformed,
    ),
    bodyCase(
      "gzip said and done",
      JSON_TYPE,
      Buffer.from("1f8b0800000000000003ab562a49ad28512a52b252724fd753aa0500a1b2d3e412000000", "hex"),
      error("malformed_json", "unsupported_media_type"),
      { headers: { "content-encoding": "gzip" } },
    ),
  ];
}

/** Unusual, and right all the same. */
function oddButGood(): Case[] {
  const small = '"format":"pcm","sample_rate":8000';
  const bodies: [name: string, body: string, expected?: Expected[]][] = [
    ["white space around", ` \r\n\t{ "text" : "Go." , ${small} } \n`],
    ["escaped letters", `{"\\u0074ext":"\\u0047o.",${small}}`],
    ["an escaped surrogate pair", `{"text":"Go \\ud83d\\ude00",${small}}`],
    ["an escaped lone surrogate", `{"text":"Go \\ud800",${small}}`],
    ["an escaped NUL", `{"text":"Go \\u0000",${small}}`],
    ["a whole number with a fraction", `{"text":"Go.","chunk_length":200.0,${small}}`],
    ["a whole number with an exponent", `{"text":"Go.","chunk_length":2e2,${small}}`],
    ["__proto__ as a field", `{"text":"Go.","__proto__":{"format":"flac"},${small}}`],
    ["constructor.prototype as a field", `{"text":"Go.","constructor":{"prototype":{"format":"flac"}},${small}}`],
    [
      "the same field twice",
      `{"text":5,"text":"Go.",${small}}`,
      [...audio, { kind: "problem", loc: ["body", "text"] }],
    ],
    ["a byte order mark", `\ufeff{"text":"Go.",${small}}`, [...audio, ...malformed]],
  ];
  return bodies.map(([name, body, expected]) => bodyCase(`odd JSON: ${name}`, JSON_TYPE, body, expected ?? audio));
}
