import { speechLike } from "#audio/testing/speech-like";
import { wavFile } from "#audio/testing/wav-file";
import type { Draw } from "./random.js";
import { isBinary, type Resolve, type Schema } from "./schema.js";

const words = [
  "Anna",
  "support",
  "order 7",
  "Grüße",
  "日本語",
  "a",
  "refund?",
  "http://10.0.0.1/hook",
  "https://[::1]/",
  "+14155550123",
  "en",
  "2026-01-01",
];

/** Strings that have broken something somewhere. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\u202eevil",
  "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
  "👩‍👩‍👧‍👦".repeat(20),
  "﷽",
  "\r\nX-Evil: 1",
  "' OR 1=1 --",
  "\\",
  "%",
  "%00",
  "%_",
  "#{7*7}",
  "{{system.nothing}}",
  "{{",
  "}}",
  "<script>alert(1)</script>",
  "../../../etc/passwd",
  "file:///etc/passwd",
  "http://127.0.0.1:1/",
  "http://[::ffff:127.0.0.1]/",
  "http://a b/",
  "javascript:alert(1)",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-0",
  "1e999",
  "true",
  "0x10",
  "99999999999999999999",
  "2026-13-45",
  "0001-01-01",
  "a".repeat(300),
  "ä".repeat(5000),
  "x".repeat(70_000),
  "\t\n\u000b",
  "\ufeff",
  "\uffff",
  "ﬁ",
  "İ",
  "ẞ",
];

/**
 * The last ones are something else in every media type: bytes are a file in a form, and MessagePack has times and 64
 * bits.
 */
const strange: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 31,
    "",
    "text",
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    [1, "a"],
    "0",
    "true",
  ],
  ...[
    Uint8Array.of(1, 2, 255),
    new Uint8Array(),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    new Date(0),
    2n ** 63n - 1n,
  ],
];

const speech = speechLike({ pitchHz: 140, swingSemitones: 3, syllablesPerSecond: 4, seconds: 1.5, sampleRate: 16_000 });
const goodAudio = wavFile(
  { sampleRate: 16_000, channels: 1, bits: 16 },
  speech.length,
  (frame) => (speech[frame] ?? 0) / 32_768,
);
const goodDocument = Buffer.from("# Hours\n\nWe open at nine.");
const badFiles = ["\u0000\u0001", "", "RIFF0000WAVE", "x".repeat(70_000)].map((text) => Buffer.from(text));

/** What values are made with. */
export interface ValueContext {
  resolve: Resolve;
  /** An address that may be called: an endpoint of the test's own. */
  endpointUrl: string;
  /** A published agent, with which sessions may begin. */
  agentId: string;
}

/** What a schema alone does not say, by the name of the field. */
const plausible: Readonly<Record<string, (draw: Draw, context: ValueContext) => unknown>> = {
  url: (_, { endpointUrl }) => endpointUrl,
  agent_id: (_, { agentId }) => agentId,
  base_url: (_, { endpointUrl }) => endpointUrl.replace("http:", "https:"),
  api_key: () => "key",
  phone_number: (draw) => `+1415555${draw.integer(1000, 9999)}`,
  inbound_allowed_addresses: () => ["203.0.113.0/24"],
  area_code: () => "415",
  model: () => "s2-pro",
  origin: () => "https://a.example",
  traceparent: () => `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  text: () => "Hello there.",
  source: () => goodDocument,
};

/** A value that fits the schema, as well as can be told: patterns are not read. */
export function goodValue(schema: Schema, draw: Draw, context: ValueContext, depth = 0): unknown {
  if (schema.$ref !== undefined) return goodValue(context.resolve(schema.$ref), draw, context, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return draw.one(schema.enum);
  if (isBinary(schema)) return goodAudio;
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined && branches.length > 0) return goodValue(draw.one(branches), draw, context, depth + 1);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => goodValue(part, draw, context, depth + 1)));
  if (schema.default !== undefined && draw.chance(0.2)) return schema.default;
  const type = Array.isArray(schema.type) ? draw.one(schema.type) : schema.type;
  if (type === "object" || schema.properties !== undefined) return goodObject(schema, draw, context, depth);
  if (type === "array") {
    const [least, most] = [
      schema.minItems ?? 0,
      Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + (depth > 6 ? 0 : 3)),
    ];
    return Array.from({ length: draw.integer(least, Math.max(least, most)) }, () =>
      goodValue(schema.items ?? {}, draw, context, depth + 1),
    );
  }
  if (type === "string") return goodText(schema, draw);
  if (type === "integer" || type === "number") return goodNumber(schema, type === "integer", draw);
  if (type === "boolean") return draw.chance(0.5);
  return type === "null" ? null : draw.one(strange);
}

function goodObject(schema: Schema, draw: Draw, context: ValueContext, depth: number): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isNeeded = schema.required?.includes(name) === true;
    if (isNeeded || draw.chance(depth > 3 ? 0.15 : 0.4)) given[name] = goodField(name, property, draw, context, depth);
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object" && draw.chance(0.3))
    given[draw.one(words)] = goodValue(additionalProperties, draw, context, depth + 1);
  return given;
}

function goodField(name: string, schema: Schema, draw: Draw, context: ValueContext, depth: number): unknown {
  const known = plausible[name];
  const isText = schema.type === "string" || schema.type === "array";
  return known !== undefined && isText && schema.enum === undefined && draw.chance(0.7)
    ? known(draw, context)
    : goodValue(schema, draw, context, depth + 1);
}

function goodText({ minLength = 0, maxLength = 40, format }: Schema, draw: Draw): string {
  if (format === "date") return "2026-02-03";
  if (format === "date-time") return "2026-02-03T04:05:06Z";
  const text = draw.one(words).padEnd(minLength, "x");
  return text.slice(0, Math.max(minLength, Math.min(maxLength, 40)));
}

function goodNumber(schema: Schema, whole: boolean, draw: Draw): number {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? 0;
  const max = schema.maximum ?? schema.exclusiveMaximum ?? min + 100;
  const drawn = draw.one([min, max, min + (max - min) / 2]);
  return whole ? Math.round(drawn) : drawn;
}

/** The least that fits the schema: what is required, and of that as little as may be. */
export function leastValue(schema: Schema, draw: Draw, context: ValueContext, name = ""): unknown {
  if (schema.$ref !== undefined) return leastValue(context.resolve(schema.$ref), draw, context, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum[0];
  const known = plausible[name];
  if (known !== undefined && (schema.type === "string" || schema.type === "array")) return known(draw, context);
  if (isBinary(schema)) return goodAudio;
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined && branches.length > 0) return leastValue(draw.one(branches), draw, context, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties !== undefined) {
    const needed = Object.entries(schema.properties ?? {}).filter(
      ([property]) => schema.required?.includes(property) === true,
    );
    return Object.fromEntries(
      needed.map(([property, inner]) => [property, leastValue(inner, draw, context, property)]),
    );
  }
  if (type === "array") return leastItems(schema, schema.minItems ?? 0, draw, context);
  if (type === "string") return "m".repeat(Math.max(1, schema.minLength ?? 1));
  if (type === "integer" || type === "number") return schema.minimum ?? 1;
  return type === "boolean" ? false : null;
}

/** So many items for a list; texts among them differ, for many lists take no item twice. */
export function leastItems({ items = {} }: Schema, count: number, draw: Draw, context: ValueContext): unknown[] {
  return Array.from({ length: count }, (_, index) => {
    const item = leastValue(items, draw, context);
    return typeof item === "string" && items.enum === undefined ? `${item}${index}` : item;
  });
}

/** A good value of this schema with one thing about it that is not. */
export function spoil(value: unknown, given: Schema, draw: Draw, context: ValueContext): unknown {
  const schema = given.$ref === undefined ? given : context.resolve(given.$ref);
  if (value instanceof Uint8Array) return draw.chance(0.7) ? draw.one(badFiles) : draw.one(strange);
  if (typeof value === "object" && value !== null && !Array.isArray(value) && draw.chance(0.85)) {
    const copy: Record<string, unknown> = { ...value };
    const names = Object.keys(copy);
    const known = Object.keys(schema.properties ?? {});
    if (draw.chance(0.1))
      copy[draw.one(["extra", "__proto__x", "constructor", "id", "team_id", ...hostileTexts.slice(0, 12)])] =
        draw.one(strange);
    else if (names.length > 0 && draw.chance(0.15)) delete copy[draw.one(names)];
    else if (known.length > 0) {
      const name = draw.one(names.length > 0 && draw.chance(0.7) ? names : known);
      copy[name] = spoil(copy[name], schema.properties?.[name] ?? {}, draw, context);
    }
    return copy;
  }
  if (Array.isArray(value) && value.length > 0 && draw.chance(0.6)) {
    const index = draw.integer(0, value.length - 1);
    return value.map((item: unknown, at) => (at === index ? spoil(item, schema.items ?? {}, draw, context) : item));
  }
  return draw.chance(0.5) ? draw.one(hostileTexts) : draw.one(strange);
}
