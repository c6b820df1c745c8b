import { form, type Part } from "../knowledge/form.js";
import type { HttpCase } from "../bad-input/case.js";
import type { Draw } from "./random.js";
import { goodValue, hostileTexts, type Resolve, type Schema, spoiledValue } from "./values.js";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  schema: Schema;
}

export interface DescribedResponse {
  content?: Record<string, { schema: Schema }>;
}

interface DescribedOperation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, DescribedResponse>;
}

/** Our own description, as `/openapi.json` gives it. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

export interface FuzzOperation {
  method: string;
  pattern: string;
  operation: DescribedOperation;
}

export function operationsOf(description: Description): FuzzOperation[] {
  return Object.entries(description.paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), pattern, operation })),
  );
}

/** Ids that answers named, by the name of the field or placeholder. */
export class KnownIds {
  readonly #ids = new Map<string, string[]>();

  /** Takes every id of an answer. */
  learn(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item);
    if (typeof value !== "object" || value === null) return;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === "string" && /(^|_)id$/.test(name)) this.#add(name, field);
      else this.learn(field);
    }
  }

  /** One for a placeholder, or null. Placeholders and fields do not always have one name. */
  one(placeholder: string, pattern: string, draw: Draw): string | null {
    const aliases = pattern.startsWith("/model") ? ["_id"] : [placeholder, ...(placeholder === "id" || placeholder === "source_id" ? ["tool_id", "knowledge_source_id", "delivery_id"] : [])];
    const found = aliases.flatMap((name) => this.#ids.get(name) ?? []);
    return found.length === 0 ? null : draw.one(found);
  }

  /** What was deleted is drawn no more. */
  forget(id: string): void {
    for (const [name, list] of this.#ids) this.#ids.set(name, list.filter((known) => known !== id));
  }

  #add(name: string, id: string): void {
    const list = this.#ids.get(name) ?? [];
    if (!list.includes(id)) this.#ids.set(name, [...list, id].slice(-30));
  }
}

/** The next request to an operation: good, or spoiled in one place. */
export function drawRequest(target: FuzzOperation, draw: Draw, ids: KnownIds, resolve: Resolve): HttpCase {
  const { method, pattern, operation } = target;
  const spoilBody = draw.chance(0.55);
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => percent(drawId(name, target, draw, ids)));
  const query = drawQuery(operation.parameters ?? [], draw, resolve);
  const headers: Record<string, string> = {};
  for (const { name, in: place, schema } of operation.parameters ?? []) {
    if (place !== "header" || !draw.chance(0.2)) continue;
    headers[name] = latin(draw.chance(0.6) ? String(goodValue(schema, draw, resolve)) : draw.one(hostileTexts));
  }
  if (draw.chance(0.02)) headers["authorization"] = draw.one(["", "Bearer wrong", "Basic eA==", "Bearer"]);
  const body = drawBody(operation, spoilBody, draw, resolve, headers);
  return { kind: "http", name: `${method} ${pattern}`, method, path: query === "" ? path : `${path}?${query}`, headers, body, expected: [] };
}

function drawId(name: string, { method, pattern }: FuzzOperation, draw: Draw, ids: KnownIds): string {
  const known = ids.one(name, pattern, draw);
  // Or little would be left to ask about.
  if (known !== null && draw.chance(method === "DELETE" ? 0.3 : 0.9)) return known;
  if (name === "version_number") return draw.one(["1", "2", "0", "-1", "1e3", "one", "99999999999999999999"]);
  return draw.one(["f".repeat(32), "self", "0", "x", "00000000-0000-0000-0000-000000000000", ...hostileTexts.filter((text) => text.length > 1 && text.length < 400)]);
}

function drawQuery(parameters: readonly Parameter[], draw: Draw, resolve: Resolve): string {
  const pairs: string[] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place !== "query" || !draw.chance(0.3)) continue;
    const value = draw.chance(0.6) ? goodValue(schema, draw, resolve) : draw.chance(0.5) ? spoiledValue(schema, draw, resolve) : draw.one(hostileTexts);
    const text = (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, 2000);
    pairs.push(`${percent(name)}=${percent(text)}`);
  }
  if (draw.chance(0.05)) pairs.push("unknown=1");
  return pairs.join("&");
}

const broken = ["", "{", "[]", "null", "\"text\"", "{\"a\":1,}", "[".repeat(20_000), "\ufeff{}", "{\"name\":\"\\ud800\"}", "{\"a\":1,\"a\":2}"];

function drawBody(operation: DescribedOperation, spoilIt: boolean, draw: Draw, resolve: Resolve, headers: Record<string, string>): Uint8Array | null {
  const content = operation.requestBody?.content;
  if (content === undefined) return null;
  if (operation.requestBody?.required !== true && draw.chance(0.3)) return null;
  const mediaType = draw.one(Object.keys(content));
  const schema = content[mediaType]?.schema ?? {};
  headers["content-type"] = draw.chance(0.03) ? draw.one(["text/plain", "application/xml", "", "multipart/form-data", "application/json; charset=utf-16"]) : mediaType;
  if (draw.chance(0.04)) return Buffer.from(draw.one(broken));
  const value = spoilIt ? spoiledValue(schema, draw, resolve) : goodValue(schema, draw, resolve);
  if (!mediaType.startsWith("multipart/")) return Buffer.from(JSON.stringify(value) ?? "null");
  const { contentType, body } = form(...partsOf(value, schema, draw));
  if (headers["content-type"] === mediaType) headers["content-type"] = contentType;
  return body;
}

function partsOf(value: unknown, schema: Schema, draw: Draw): Part[] {
  if (typeof value !== "object" || value === null) return [["x", String(value)]];
  return Object.entries(value).flatMap(([name, field]): Part[] => {
    const isFile = schema.properties?.[name]?.format === "binary" || name === "voices" || name === "audio";
    if (isFile) return [[name, draw.one(["# Hours\n\nWe open at nine.", "\u0000\u0001", "", "RIFF0000WAVE"]), draw.one(["a.md", "b.txt", "c.wav", "../d.md", "e"])]];
    return [field].flat().map((item): Part => [name.replace(/["\r\n]/g, "_"), Buffer.from(typeof item === "object" ? JSON.stringify(item) : String(item))]);
  });
}

/** As a part of a URL; lone surrogates have no place there and become U+FFFD. */
function percent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** A header's value may hold Latin-1 only, on one line. */
function latin(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, "?").slice(0, 200);
}
