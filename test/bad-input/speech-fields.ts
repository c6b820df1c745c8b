import { CANARY, type Case, type Expected, problem } from "./case.js";
import {
  bothEncodings,
  goodSpeech,
  goodStart,
  jsonCase,
  liveCase,
  msgpackCase,
  SPEECH_EVENTS,
  stop,
} from "./requests.js";
import { type FieldValues, packedOddities, speechFields } from "./speech-field-values.js";

const audio: Expected[] = [{ kind: "audio" }];
const events: Expected[] = [{ kind: "events" }];

function requestWith(field: FieldValues, value: unknown): Record<string, unknown> {
  const [outer = "", inner] = field.path;
  return { ...goodSpeech, ...field.besides, [outer]: inner === undefined ? value : { [inner]: value } };
}

function label(field: FieldValues, value: unknown): string {
  const besides = field.besides === undefined ? "" : ` with ${String(field.besides["format"])}`;
  return `${field.path.join(".")}${besides} = ${JSON.stringify(value)?.slice(0, 60)}`;
}

/**
 * A wrong value of each kind in each field: 422 that names the field, in both encodings, and on the other two speech
 * routes.
 */
export function badFieldCases(): Case[] {
  const overHttp = speechFields.flatMap((field) =>
    field.bad.flatMap((value) =>
      bothEncodings(label(field, value), requestWith(field, value), problem("body", ...field.path)),
    ),
  );
  const withTimestamps = speechFields.flatMap((field) =>
    field.bad
      .filter((_, index) => index % 5 === 0)
      .map((value) =>
        jsonCase(`timestamps: ${label(field, value)}`, requestWith(field, value), problem("body", ...field.path), {
          path: SPEECH_EVENTS,
        }),
      ),
  );
  const live = speechFields.flatMap((field) =>
    field.bad
      .filter((value, index) => index % 4 === 0 && !(field.path[0] === "text" && value === null))
      .map((value) =>
        liveCase(
          `start with ${label(field, value)}`,
          [{ event: "start", request: requestWith(field, value) }, stop],
          [{ kind: "error", contains: field.path[0] ?? "" }],
        ),
      ),
  );
  return [...overHttp, ...withTimestamps, ...live];
}

/** Numbers that are none, and types that JSON lacks. */
export function packedFieldCases(): Case[] {
  return speechFields
    .filter((field) => field.besides?.["format"] !== "wav")
    .flatMap((field) =>
      packedOddities
        .filter(([name]) => !(name === "2^64-1" && field.path[0] === "repetition_penalty"))
        .map(([name, value]) =>
          msgpackCase(`${label(field, name)}`, requestWith(field, value), problem("body", ...field.path)),
        ),
    );
}

/** Bounds themselves, null, floats that are whole, and fields that nobody knows. */
export function goodFieldCases(): Case[] {
  const bounds = speechFields.flatMap((field) =>
    field.good.map((value) => jsonCase(label(field, value), requestWith(field, value), audio)),
  );
  const nulls = speechFields
    .filter(
      (field, index) =>
        field.path[0] !== "text" &&
        speechFields.findIndex((other) => other.path.join() === field.path.join()) === index,
    )
    .map((field) =>
      msgpackCase(
        `${field.path.join(".")} = null`,
        requestWith({ path: field.path, besides: { format: "wav", sample_rate: 44100 }, good: [], bad: [] }, null),
        audio,
      ),
    );
  const whole = Object.entries({
    chunk_length: 200n,
    min_chunk_length: 50n,
    temperature: 1n,
    max_new_tokens: 1024n,
    sample_rate: 8000n,
  }).map(([name, value]) => msgpackCase(`${name} as a 64-bit integer`, { ...goodSpeech, [name]: value }, audio));
  const unknown = [
    { model_id: null },
    { constructor: 1 },
    { toString: 1 },
    { "": "" },
    { nested: { deep: [[[[]]]] } },
  ].map((extra) => jsonCase(`unknown field ${JSON.stringify(extra)}`, { ...goodSpeech, ...extra }, audio));
  const everyNull = Object.fromEntries(
    speechFields.filter(({ path }) => path.length === 1 && path[0] !== "text").map(({ path }) => [path[0], null]),
  );
  return [
    ...bounds,
    ...nulls,
    ...whole,
    ...unknown,
    jsonCase("every optional field null, mp3 at 44.1 kHz", { text: "Go.", ...everyNull }, audio),
    jsonCase(
      "negative zero for a volume and a length",
      { ...goodSpeech, prosody: { volume: -0 }, min_chunk_length: -0 },
      audio,
    ),
    jsonCase("timestamps of a good request", goodSpeech, events, { path: SPEECH_EVENTS }),
    msgpackCase("timestamps of a good request", goodSpeech, events, { path: SPEECH_EVENTS }),
    liveCase("a good live stream", [goodStart, { event: "text", text: "Go." }, stop], [{ kind: "stop", audio: true }]),
  ];
}

/** Bodies that are no map at all, or lack the text. */
export function wholeBodyCases(): Case[] {
  const roots: unknown[] = [null, true, 0, 1.5, "", "Go.", [], [goodSpeech], [["text", "Go."]]];
  return [
    ...roots.flatMap((root) =>
      bothEncodings(`a body that is ${JSON.stringify(root)?.slice(0, 30)}`, root, problem("body")),
    ),
    ...bothEncodings("an empty map", {}, [{ kind: "problem", loc: ["body", "text"], type: "missing" }]),
    ...bothEncodings("a request without text", { format: "pcm" }, [
      { kind: "problem", loc: ["body", "text"], type: "missing" },
    ]),
    jsonCase("text under another case", { Text: "Go." }, problem("body", "text")),
    jsonCase("a text of 1,000,001 characters", { text: "a".repeat(1_000_001) }, [
      { kind: "problem", loc: ["body", "text"], type: "string_too_long" },
    ]),
    jsonCase(
      "every field wrong",
      Object.fromEntries(speechFields.map(({ path }) => [path[0], { [CANARY]: 1 }])),
      problem("body", "text"),
    ),
  ];
}
