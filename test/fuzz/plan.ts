import type { HttpCase } from "../bad-input/case.js";
import { boundValues } from "./bounds.js";
import { bodySchema, type FuzzOperation, mediaTypesOf, type Parameter } from "./description.js";
import { type Encoded, encodeBody, knownMediaTypes, withBase64 } from "./encode.js";
import { drawPath, type KnownIds, percent } from "./ids.js";
import type { Expectation, judgeBy } from "./judge.js";
import type { Draw } from "./random.js";
import type { Schema } from "./schema.js";
import { goodValue, hostileTexts, leastValue, spoil, type ValueContext } from "./values.js";

/** A request and what it must meet. */
export interface FuzzCase {
  target: FuzzOperation;
  http: HttpCase;
  expectation: Expectation;
}

/** Makes the request when its turn comes: only then are the ids of what was made before it known. */
export type Planned = (draw: Draw, ids: KnownIds) => FuzzCase;

export interface PlanContext extends ValueContext {
  verdict: Pick<ReturnType<typeof judgeBy>, "fits" | "fitsAlone">;
}

const any: Expectation = { kind: "any" };

/** Good bodies of operations whose needs their schemas do not tell in full. */
const examples: Readonly<Record<string, (context: ValueContext) => Record<string, unknown>>> = {
  "POST /v1/agent/tools": ({ endpointUrl }) => ({ name: "look up", url: endpointUrl, arguments: [{ name: "q" }] }),
  "PATCH /v1/agent/agents/{agent_id}": () => ({ public_enabled: true, allowed_origins: ["https://a.example"] }),
  "PATCH /v1/agent/tools/{tool_id}": () => ({ description: "looks up" }),
  "PATCH /v1/agent/knowledge-sources/{source_id}": () => ({ description: "hours" }),
};

/** Bounds that are lower than declared, by what another field says. */
const conditional: Readonly<Record<string, readonly string[]>> = {
  // One for each voice.
  "POST /model": ["texts"],
  // 300 in the background only.
  "POST /v1/agent/tools": ["timeout_seconds"],
  "PATCH /v1/agent/tools/{tool_id}": ["timeout_seconds"],
};
/** Empty tags are dropped, not refused. */
const droppedWhenEmpty = ["tags"];

function nameOf({ method, pattern }: FuzzOperation): string {
  return `${method} ${pattern}`;
}

function goodBody(target: FuzzOperation, schema: Schema, draw: Draw, context: PlanContext): unknown {
  const example = examples[nameOf(target)];
  const good = goodValue(schema, draw, context);
  if (example === undefined || draw.chance(0.3)) return good;
  // The example with one field of another value.
  const [changed] = draw.one([...Object.entries(good as object), ["", null]]);
  return {
    ...example(context),
    ...Object.fromEntries(Object.entries(good as object).filter(([name]) => name === changed)),
  };
}

interface Sent {
  body?: Encoded | null;
  query?: string;
  headers?: Record<string, string>;
  expectation?: Expectation;
  /** About what was made before; by chance when absent. */
  isOfPast?: boolean;
}

function request(
  target: FuzzOperation,
  draw: Draw,
  ids: KnownIds,
  { body = null, query = "", headers = {}, expectation = any, isOfPast }: Sent,
): FuzzCase {
  const path = drawPath(target, draw, ids, isOfPast);
  if (body !== null && body.contentType !== "") headers["content-type"] = body.contentType;
  const http: HttpCase = {
    kind: "http",
    name: nameOf(target),
    method: target.method,
    path: query === "" ? path : `${path}?${query}`,
    headers,
    body: body === null ? null : body.body,
    expected: [],
  };
  return { target, http, expectation };
}

/**
 * What is asked of every operation in every run: good bodies in every media type, none at all, broken ones, and media
 * types that it has not.
 */
export function everyOperation(targets: readonly FuzzOperation[], context: PlanContext): Planned[] {
  return targets.flatMap((target): Planned[] => {
    const declared = mediaTypesOf(target);
    const isRequired = target.operation.requestBody?.required === true;
    const whatever: Planned = (draw, ids) =>
      request(target, draw, ids, { query: drawQuery(target.operation.parameters ?? [], draw, context) });
    if (declared.length === 0) {
      const stray: Planned = (draw, ids) =>
        request(target, draw, ids, { body: { contentType: "application/json", body: Buffer.from("{}") } });
      const past: Planned = (draw, ids) => request(target, draw, ids, { isOfPast: true });
      return [past, whatever, whatever, stray];
    }
    const inType = (mediaType: string): Planned[] => {
      const schema = bodySchema(target, mediaType);
      const sends =
        (make: (draw: Draw) => unknown): Planned =>
        (draw, ids) =>
          request(target, draw, ids, { body: encodeBody(mediaType, make(draw)) });
      const { contentType } = encodeBody(mediaType, {});
      const none: Planned = (draw, ids) => {
        return request(target, draw, ids, {
          body: { contentType, body: Buffer.alloc(0) },
          expectation: isRequired ? { kind: "refused" } : any,
        });
      };
      const broken: Planned = (draw, ids) =>
        request(target, draw, ids, { body: { contentType, body: drawBroken(mediaType, draw) } });
      const good = (draw: Draw): unknown => goodBody(target, schema, draw, context);
      const least = (draw: Draw): unknown => examples[nameOf(target)]?.(context) ?? leastValue(schema, draw, context);
      return [sends(least), sends(good), sends(good), sends(() => ({})), none, broken, broken];
    };
    const foreign = [
      ...knownMediaTypes.filter((mediaType) => !declared.includes(mediaType)),
      "text/plain",
      "application/octet-stream",
      "",
    ];
    const wrong = foreign.map(
      (mediaType): Planned =>
        (draw, ids) => {
          const schema = bodySchema(target, declared[0] ?? "");
          const value = leastValue(schema, draw, context);
          const encoded = knownMediaTypes.includes(mediaType)
            ? encodeBody(mediaType, value)
            : { contentType: mediaType, body: encodeBody("application/json", value).body };
          // Where a body may be left out, one of nothing is none.
          return request(target, draw, ids, {
            body: encoded,
            expectation: isRequired || encoded.body.byteLength > 0 ? { kind: "unsupported" } : any,
          });
        },
    );
    const absent: Planned = (draw, ids) =>
      request(target, draw, ids, { expectation: isRequired ? { kind: "refused" } : any });
    return [...declared.flatMap(inType), ...wrong, absent];
  });
}

/**
 * Bodies and query parameters at every declared bound and just past it, each body in one of its media types; in an
 * order by `draw`.
 */
export function everyBound(targets: readonly FuzzOperation[], context: PlanContext, draw: Draw): Planned[] {
  const planned = targets.flatMap((target) => [
    ...bodyBounds(target, context, draw),
    ...queryBounds(target, context, draw),
  ]);
  return shuffled(planned, draw);
}

function bodyBounds(target: FuzzOperation, context: PlanContext, draw: Draw): Planned[] {
  const declared = mediaTypesOf(target);
  const example = examples[nameOf(target)]?.(context) ?? {};
  return boundValues(bodySchema(target, declared[0] ?? ""), draw, context).map(({ path, value: bound }): Planned => {
    const mediaType = draw.one(declared);
    const value = typeof bound === "object" && !Array.isArray(bound) ? { ...example, ...bound } : bound;
    const fits = context.verdict.fits(target, mediaType, value);
    const [field = ""] = path.map(String);
    const expectation: Expectation = fits ? { kind: "in-bounds", loc: path } : { kind: "refused" };
    const isLenient = fits ? conditional[nameOf(target)]?.includes(field) === true : droppedWhenEmpty.includes(field);
    const body = encodeBody(mediaType, value);
    return (later, ids) => request(target, later, ids, { body, expectation: isLenient ? any : expectation });
  });
}

function queryBounds(target: FuzzOperation, context: PlanContext, draw: Draw): Planned[] {
  const parameters = (target.operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  return parameters.flatMap(({ name, schema }) =>
    boundValues(schema, draw, context, name).map(({ path, value }): Planned => {
      const expectation: Expectation = context.verdict.fitsAlone(schema, value)
        ? { kind: "in-bounds", loc: [name, ...path] }
        : { kind: "refused" };
      return (later, ids) =>
        request(target, later, ids, { query: `${percent(name)}=${percent(String(value))}`, expectation });
    }),
  );
}

function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  return list
    .map((item) => ({ item, key: draw.integer(0, 2 ** 30) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Any request to an operation: good, or spoiled in one place. */
export function drawCase(target: FuzzOperation, draw: Draw, ids: KnownIds, context: PlanContext): FuzzCase {
  const { operation } = target;
  const headers: Record<string, string> = {};
  for (const { name, in: place, schema } of operation.parameters ?? []) {
    if (place !== "header" || !draw.chance(0.4)) continue;
    headers[name] = latin(draw.chance(0.6) ? String(leastValue(schema, draw, context, name)) : draw.one(hostileTexts));
  }
  if (draw.chance(0.02)) headers["authorization"] = draw.one(["", "Bearer wrong", "Basic eA==", "Bearer"]);
  return request(target, draw, ids, {
    query: drawQuery(operation.parameters ?? [], draw, context),
    headers,
    body: drawBody(target, draw, context),
  });
}

function drawBody(target: FuzzOperation, draw: Draw, context: PlanContext): Encoded | null {
  const declared = mediaTypesOf(target);
  if (declared.length === 0 || (target.operation.requestBody?.required !== true && draw.chance(0.3))) return null;
  const mediaType = draw.one(declared);
  const schema = bodySchema(target, mediaType);
  const good = goodBody(target, schema, draw, context);
  const encoded = encodeBody(mediaType, draw.chance(0.6) ? spoil(good, schema, draw, context) : good);
  if (draw.chance(0.04)) return { ...encoded, body: drawBroken(mediaType, draw) };
  if (draw.chance(0.03))
    return {
      ...encoded,
      contentType: draw.one([
        "text/plain",
        "application/xml",
        "",
        "multipart/form-data",
        "application/json; charset=utf-16",
      ]),
    };
  return encoded;
}

function drawQuery(parameters: readonly Parameter[], draw: Draw, context: PlanContext): string {
  const pairs: string[] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place !== "query" || !draw.chance(0.3)) continue;
    const value = draw.chance(0.6)
      ? goodValue(schema, draw, context)
      : draw.chance(0.5)
        ? spoil(goodValue(schema, draw, context), schema, draw, context)
        : draw.one(hostileTexts);
    const text = (typeof value === "object" ? JSON.stringify(withBase64(value)) : String(value)).slice(0, 2000);
    pairs.push(`${percent(name)}=${percent(text)}`);
  }
  if (draw.chance(0.05)) pairs.push("unknown=1");
  return pairs.join("&");
}

const part = 'Content-Disposition: form-data; name="a"\r\n\r\nb\r\n';
const broken: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  "application/json": [
    "{",
    "[]",
    "null",
    '"text"',
    '{"a":1,}',
    "[".repeat(20_000),
    "\ufeff{}",
    '{"name":"\\ud800"}',
    '{"a":1,"a":2}',
    Uint8Array.of(0x7b, 0xff, 0x7d),
    "1e999",
    " ",
  ],
  "application/msgpack": [
    ...[
      [0xc1],
      [0x80],
      [0x81],
      [0x90],
      [0xc0],
      [0xdf, 0xff, 0xff, 0xff, 0xff],
      [0xdd, 0xff, 0xff, 0xff, 0xff],
      [0xc6, 0xff, 0xff, 0xff, 0xff],
      [0x80, 0x80],
      [0x81, 0x01, 0x02],
      [0x81, 0xc4, 0x01, 0x61, 0x01],
      [0xd4, 0x05, 0x00],
      [0xa1, 0xff],
    ].map((bytes) => Uint8Array.from(bytes)),
    new Uint8Array(20_000).fill(0x91),
    "{}",
  ],
  "multipart/form-data": [
    "",
    "--B--\r\n",
    "--B\r\n",
    `--B\r\n${part}`,
    `--C\r\n${part}--C--\r\n`,
    "--B\r\nContent-Disposition: form-data\r\n\r\nb\r\n--B--\r\n",
    `${`--B\r\n${part}`.repeat(300)}--B--\r\n`,
    "{}",
  ],
  "application/x-www-form-urlencoded": [
    "%",
    "%zz=%zz",
    "=&=&==",
    "a=%ff%fe",
    "&".repeat(5000),
    "a=b&".repeat(300),
    "{}",
    "title=%00",
  ],
};

function drawBroken(mediaType: string, draw: Draw): Uint8Array {
  const bytes = draw.one(broken[mediaType] ?? [""]);
  return typeof bytes === "string" ? Buffer.from(bytes) : bytes;
}

/** A header's value may hold Latin-1 only, on one line. */
function latin(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, "?").slice(0, 200);
}
