import { CANARY, type Case, error, type Expected, problem, success } from "./case.js";
import { badSamples, goodSample } from "./samples.js";
import { bodyCase, bothEncodings, jsonCase, msgpackCase } from "./requests.js";

const create = { path: "/model" };
const change = { method: "PATCH", path: "/model/{voice}" };
/** Right but for a sample, so that a refusal is about the field in question and no voice is ever made by chance. */
const base = {
  type: "tts",
  train_mode: "fast",
  title: CANARY,
  visibility: "private",
  voices: [goodSample.toString("base64")],
};

const notTexts: unknown[] = [0, 1.5, true, [], {}, [CANARY], { [CANARY]: 1 }];
const tooLong = (length: number): string => "x".repeat(length + 1);

/** Bounds as `/openapi.json` gives them. */
const createFields: [name: string, bad: unknown[]][] = [
  ["type", [null, ...notTexts, "", "svc", "TTS", CANARY]],
  ["train_mode", [null, ...notTexts, "", "full", CANARY]],
  ["title", [null, ...notTexts, "", tooLong(256), "a\u0000b"]],
  ["visibility", [...notTexts, "", "Public", "unlisted", CANARY]],
  ["description", [...notTexts, tooLong(10_000), "a\u0000b"]],
  [
    "tags",
    [
      0,
      true,
      {},
      [1],
      [null],
      [[CANARY]],
      [tooLong(64)],
      Array.from({ length: 65 }, (_, index) => `t${index}`),
      ["a\u0000b"],
    ],
  ],
  [
    "texts",
    [0, true, {}, [1], [null], [[CANARY]], [tooLong(10_000)], ["one", "two"], Array(21).fill("a"), ["a\u0000b"]],
  ],
  [
    "voices",
    [
      null,
      [],
      0,
      true,
      "",
      `${CANARY}!`,
      [`${CANARY}!`],
      [null],
      [{}],
      [{ type: "Buffer" }],
      Array(21).fill("AAAA"),
      [["a"]],
      [1, 256],
    ],
  ],
  ["cover_image", [0, true, "!", {}, [256], "data:,x"]],
  ["enhance_audio_quality", [2, "maybe", "", [], {}, 1.5]],
  ["generate_sample", [-1, CANARY, [], {}]],
];

const label = (value: unknown): string => JSON.stringify(value).slice(0, 40);

export function voiceFieldCases(): Case[] {
  const without = ["type", "train_mode", "title", "voices"].flatMap((name) => {
    const rest = Object.fromEntries(Object.entries(base).filter(([key]) => key !== name));
    return bothEncodings(
      `voice without ${name}`,
      rest,
      [{ kind: "problem", loc: ["body", name], type: "missing" }],
      create,
    );
  });
  const wrong = createFields.flatMap(([name, values]) =>
    values.map((value) =>
      jsonCase(`voice with ${name} ${label(value)}`, { ...base, [name]: value }, problem("body", name), create),
    ),
  );
  const wrongPatches = createFields
    .filter(([name]) => ["title", "description", "visibility", "tags", "cover_image"].includes(name))
    .flatMap(([name, values]) =>
      // PATCH with null keeps the field (`/openapi.json` says so).
      values
        .filter((value) => value !== null)
        .map((value, index) =>
          (index % 2 === 0 ? jsonCase : msgpackCase)(
            `change of ${name} to ${label(value)}`,
            { [name]: value },
            problem("body", name),
            change,
          ),
        ),
    );
  const roots = [null, true, 5, "x", [], [base]].flatMap((root) => [
    jsonCase(`voice that is ${label(root)}`, root, problem("body"), create),
    msgpackCase(`change that is ${label(root)}`, root, problem("body"), change),
  ]);
  return [...without, ...wrong, ...wrongPatches, ...roots, ...voiceSampleCases(), ...goodChanges(), ...brokenBodies()];
}

function voiceSampleCases(): Case[] {
  const unusable = error("bad_reference_audio");
  const of = (...voices: Uint8Array[]): object => ({ ...base, voices });
  return [
    ...badSamples.map(([name, bytes]) => msgpackCase(`voice of ${name}`, of(bytes), unusable, create)),
    ...badSamples
      .filter((_, index) => index % 9 === 0)
      .map(([name, bytes]) => msgpackCase(`voice of a recording and ${name}`, of(goodSample, bytes), unusable, create)),
    msgpackCase("voice of no bytes", of(Buffer.alloc(0)), [...unusable, ...problem("body", "voices")], create),
    msgpackCase("voice of 19 MB of rubbish", of(Buffer.alloc(19_000_000, 0x41)), unusable, create),
    bodyCase("voice of 70 MB", "application/msgpack", Buffer.alloc(70_000_000), error("payload_too_large"), create),
  ];
}

/** Unusual and right: what a voice that exists may be called. */
function goodChanges(): Case[] {
  const ok = success(200);
  const changes: [name: string, value: unknown, expected?: Expected[]][] = [
    ["nothing", {}],
    ["every field null", { title: null, description: null, visibility: null, tags: null, cover_image: null }],
    ["a title with a lone surrogate", { title: "a\ud800b" }],
    ["a title in Arabic with direction marks", { title: "\u202eمرحبا\u202c" }],
    ["a title of an SQL statement", { title: "'); DROP TABLE voices; --" }],
    ["a title of 256 emoji", { title: "🙂".repeat(128) }],
    ["a title of markup", { title: "<script>alert(1)</script>" }],
    ["tags of an array literal", { tags: ["{a,b}", '"', "\\", "NULL"] }],
    ["tags in one text", { tags: "a, b,,c," }],
    ["64 tags", { tags: Array.from({ length: 64 }, (_, index) => `t${index}`) }],
    ["no tags", { tags: [] }],
    ["a description of 10,000 characters", { description: "x".repeat(10_000) }],
    ["unknown fields", { [CANARY]: 1, _id: "f".repeat(32), author: {}, state: "failed", __proto__: null }],
    ["a cover that is no picture", { cover_image: "AAAA" }, [...ok, ...problem("body", "cover_image")]],
  ];
  return changes.map(([name, value, expected]) =>
    jsonCase(`change of a voice: ${name}`, value, expected ?? ok, change),
  );
}

function brokenBodies(): Case[] {
  const json = JSON.stringify(base);
  const cuts = Array.from({ length: 10 }, (_, index) => Math.floor((json.length * (index + 0.5)) / 10));
  return [
    ...cuts.map((cut) =>
      bodyCase(
        `voice in JSON cut after ${cut}`,
        "application/json",
        json.slice(0, cut),
        error("malformed_json"),
        create,
      ),
    ),
    ...["{", CANARY, "[".repeat(50_000), '{"title":"\u0000"}'].map((body) =>
      bodyCase(`change in no JSON ${body.slice(0, 20)}`, "application/json", body, error("malformed_json"), change),
    ),
    ...["c1", "df ffffffff", "81", "81 a5 7469", "dd ffffffff dd ffffffff"].map((body) =>
      bodyCase(
        `voice in no MessagePack ${body}`,
        "application/msgpack",
        Buffer.from(body.replaceAll(" ", ""), "hex"),
        error("malformed_msgpack"),
        create,
      ),
    ),
  ];
}
