import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ServiceError } from "#protocol/errors";
import { configPatch } from "#protocol/agents/config-patch";
import { phoneCreate } from "#protocol/agents/phone";
import { speechRequest } from "#protocol/speech/request";
import { liveClientEvent } from "#protocol/speech/live";
import { validate } from "./validation.js";

function problemsOf(schema: z.ZodType, value: unknown): unknown {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ServiceError) return error.problems;
    throw error;
  }
  return [];
}

const cases: [name: string, schema: z.ZodType, value: unknown, problem: object][] = [
  ["a missing field", speechRequest, {}, { type: "missing", loc: ["text"], msg: "Field required" }],
  ["a body that is no map", speechRequest, [], { type: "dict_type", loc: [] }],
  [
    "a wrong type",
    speechRequest,
    { text: 1 },
    { type: "string_type", loc: ["text"], msg: "Input should be a valid string" },
  ],
  ["null for a required field", speechRequest, { text: null }, { type: "string_type", loc: ["text"] }],
  [
    "a fraction for an integer",
    speechRequest,
    { text: "a", chunk_length: 100.5 },
    { type: "int_type", loc: ["chunk_length"] },
  ],
  [
    "a number below its bound",
    speechRequest,
    { text: "a", chunk_length: 99 },
    { type: "greater_than_equal", loc: ["chunk_length"], ctx: { ge: 100 } },
  ],
  [
    "a number above its bound",
    speechRequest,
    { text: "a", prosody: { speed: 3 } },
    { type: "less_than_equal", loc: ["prosody", "speed"], ctx: { le: 2 } },
  ],
  [
    "a word outside an enum",
    speechRequest,
    { text: "a", format: "x" },
    { type: "literal_error", ctx: { expected: "'mp3', 'wav', 'pcm' or 'opus'" } },
  ],
  [
    "a number outside a list",
    speechRequest,
    { text: "a", mp3_bitrate: 1 },
    { type: "literal_error", ctx: { expected: "64, 128 or 192" } },
  ],
  [
    "a list of one branch that is too long",
    configPatch,
    { webhooks: { post_call: Array.from({ length: 6 }, (_, index) => ({ url: `https://a.example/${index}` })) } },
    { type: "too_long", loc: ["webhooks", "post_call"], ctx: { max_length: 5 } },
  ],
  [
    "a branch that nothing names",
    phoneCreate,
    { phone_number: "+4930123456" },
    { type: "missing", loc: ["provider"], msg: "Field required" },
  ],
  [
    "a branch that is not there",
    phoneCreate,
    { provider: "livekit", phone_number: "+4930123456" },
    {
      type: "union_tag_invalid",
      loc: ["provider"],
      ctx: { discriminator: "'provider'", expected_tags: "'twilio', 'sip'" },
    },
  ],
  [
    "a value that fits no branch",
    speechRequest,
    { text: "a", reference_id: 1 },
    { type: "union_type", loc: ["reference_id"] },
  ],
  [
    "a finding inside a list of lists",
    speechRequest,
    { text: "a", references: [[{ audio: "!" }]] },
    { type: "value_error", loc: ["references", 0, 0, "audio"] },
  ],
  ["a rule across fields", speechRequest, { text: "a", sample_rate: 5 }, { type: "value_error", loc: ["sample_rate"] }],
  ["an unknown event", liveClientEvent, { event: "x" }, { type: "union_tag_invalid", loc: ["event"] }],
  [
    "a short string",
    z.object({ a: z.string().min(1) }),
    { a: "" },
    { type: "string_too_short", ctx: { min_length: 1 }, msg: "String should have at least 1 character" },
  ],
  ["a long list", z.array(z.string()).max(2), ["", "", ""], { type: "too_long", ctx: { max_length: 2 } }],
  ["an exclusive bound", z.number().gt(3), 3, { type: "greater_than", ctx: { gt: 3 } }],
  [
    "a string that does not fit a pattern",
    z.object({ a: z.string().regex(/^[a-z]+\/\d$/i, { message: "A service and a number" }) }),
    { a: "canary" },
    {
      type: "string_pattern_mismatch",
      loc: ["a"],
      msg: "String should match pattern '^[a-z]+/\\d$'",
      ctx: { pattern: "^[a-z]+/\\d$" },
    },
  ],
  [
    "a string of another format",
    z.iso.date(),
    "x",
    { type: "string_pattern_mismatch", msg: "Input should be a valid date" },
  ],
  ["an unknown field of a strict map", z.strictObject({}), { extra: 1 }, { type: "extra_forbidden", loc: ["extra"] }],
];

describe("validate", () => {
  it.each(cases)("names %s", (_name, schema, value, problem) => {
    expect(problemsOf(schema, value)).toEqual([expect.objectContaining(problem)]);
  });

  it("never repeats the input", () => {
    const secret = "canary-7731";
    const values = [
      { text: { secret } },
      { text: secret, format: secret },
      { text: secret, references: [{ audio: `!${secret}` }] },
      { text: "a", reference_id: { secret } },
    ];
    expect(JSON.stringify(values.map((value) => problemsOf(speechRequest, value)))).not.toContain(secret);
  });

  it("bounds the list", () => {
    expect(problemsOf(z.array(z.string()), new Array(10_000).fill(1))).toHaveLength(50);
  });
});
