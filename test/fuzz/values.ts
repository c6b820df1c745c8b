import type { Draw } from "./random.js";

/** A JSON Schema as far as it is read here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
}

export type Resolve = (reference: string) => Schema;

const words = ["Anna", "support", "order 7", "Grüße", "日本語", "a", "refund?", "http://10.0.0.1/hook", "https://[::1]/", "+14155550123", "en", "2026-01-01"];

/** Strings that have broken something somewhere. */
export const hostileTexts: readonly string[] = [
  "", " ", "\u0000", "a\u0000b", "\ud800", "\udfff\ud800", "\u202eevil", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘", "👩‍👩‍👧‍👦".repeat(20), "﷽", "\r\nX-Evil: 1",
  "' OR 1=1 --", "\\", "%", "%00", "%_", "#{7*7}", "{{system.nothing}}", "{{", "}}", "<script>alert(1)</script>", "../../../etc/passwd", "file:///etc/passwd",
  "http://127.0.0.1:1/", "http://[::ffff:127.0.0.1]/", "http://a b/", "javascript:alert(1)", "__proto__", "constructor", "toString", "null", "NaN", "-0", "1e999",
  "true", "0x10", "99999999999999999999", "2026-13-45", "0001-01-01", "a".repeat(300), "ä".repeat(5000), "x".repeat(70_000), "\t\n\u000b", "\ufeff", "\uffff", "ﬁ", "İ", "ẞ",
];

const strange: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, "", "text", [], {}, [[]], [null], { a: 1 }, [1, "a"], "0", "true"];

/** A value that fits the schema, as well as can be told: patterns are not read. */
export function goodValue(schema: Schema, draw: Draw, resolve: Resolve, depth = 0): unknown {
  if (schema.$ref !== undefined) return goodValue(resolve(schema.$ref), draw, resolve, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return draw.one(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined && branches.length > 0) return goodValue(draw.one(branches), draw, resolve, depth + 1);
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => goodValue(part, draw, resolve, depth + 1)));
  if (schema.default !== undefined && draw.chance(0.2)) return schema.default;
  const type = Array.isArray(schema.type) ? draw.one(schema.type) : schema.type;
  if (type === "object" || schema.properties !== undefined) return goodObject(schema, draw, resolve, depth);
  if (type === "array") {
    const [least, most] = [schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + (depth > 6 ? 0 : 3))];
    return Array.from({ length: draw.integer(least, Math.max(least, most)) }, () => goodValue(schema.items ?? {}, draw, resolve, depth + 1));
  }
  if (type === "string") return goodText(schema, draw);
  if (type === "integer" || type === "number") return goodNumber(schema, type === "integer", draw);
  if (type === "boolean") return draw.chance(0.5);
  return type === "null" ? null : draw.one(strange);
}

function goodObject(schema: Schema, draw: Draw, resolve: Resolve, depth: number): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isNeeded = schema.required?.includes(name) === true;
    if (isNeeded || draw.chance(depth > 3 ? 0.15 : 0.4)) given[name] = goodValue(property, draw, resolve, depth + 1);
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object" && draw.chance(0.3)) given[draw.one(words)] = goodValue(additionalProperties, draw, resolve, depth + 1);
  return given;
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

/** A value just outside of what the schema allows, or at its edge. */
function edgeValue(schema: Schema, draw: Draw): unknown {
  const { minLength, maxLength, minimum, maximum, maxItems, minItems } = schema;
  const edges: unknown[] = [];
  if (maxLength !== undefined && maxLength <= 100_000) edges.push("m".repeat(maxLength), "m".repeat(maxLength + 1), "😀".repeat(maxLength));
  if (minLength !== undefined && minLength > 0) edges.push("m".repeat(minLength), "m".repeat(minLength - 1));
  if (minimum !== undefined) edges.push(minimum, minimum - 1, minimum - 0.001);
  if (maximum !== undefined) edges.push(maximum, maximum + 1, maximum + 0.001);
  if (maxItems !== undefined && maxItems <= 2000) edges.push(Array.from({ length: maxItems + 1 }, () => "i"));
  if (minItems !== undefined && minItems > 0) edges.push([]);
  return edges.length === 0 ? draw.one(hostileTexts) : draw.one(edges);
}

/** A good value with one thing about it that is not. */
export function spoiledValue(schema: Schema, draw: Draw, resolve: Resolve): unknown {
  const whole = goodValue(schema, draw, resolve);
  return spoil(whole, schema, draw, resolve);
}

function spoil(value: unknown, given: Schema, draw: Draw, resolve: Resolve): unknown {
  const schema = given.$ref === undefined ? given : resolve(given.$ref);
  if (typeof value === "object" && value !== null && !Array.isArray(value) && draw.chance(0.85)) {
    const copy: Record<string, unknown> = { ...value };
    const names = Object.keys(copy);
    const known = Object.keys(schema.properties ?? {});
    if (draw.chance(0.1)) copy[draw.one(["extra", "__proto__x", "constructor", "id", "team_id", ...hostileTexts.slice(0, 12)])] = draw.one(strange);
    else if (names.length > 0 && draw.chance(0.15)) delete copy[draw.one(names)];
    else if (known.length > 0) {
      const name = draw.one(names.length > 0 && draw.chance(0.7) ? names : known);
      copy[name] = spoil(copy[name], schema.properties?.[name] ?? {}, draw, resolve);
    }
    return copy;
  }
  if (Array.isArray(value) && value.length > 0 && draw.chance(0.6)) {
    const index = draw.integer(0, value.length - 1);
    return value.map((item: unknown, at) => (at === index ? spoil(item, schema.items ?? {}, draw, resolve) : item));
  }
  const branch = schema.anyOf ?? schema.oneOf;
  if (draw.chance(0.35)) return edgeValue(branch === undefined ? schema : draw.one(branch), draw);
  return draw.chance(0.5) ? draw.one(hostileTexts) : draw.one(strange);
}
