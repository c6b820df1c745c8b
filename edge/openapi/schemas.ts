import { z } from "zod";
import { sourceBytes } from "#protocol/knowledge";
import { audioFile } from "#protocol/transcription/request";
import { audioBytes } from "#protocol/speech/request";

/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = Record<string, unknown>;

/** The schema of what a caller sends. Every optional field also takes null. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return strip(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: describe }));
}

/** The schema of what is answered. */
export function responseSchema(schema: z.ZodType): JsonSchema {
  return strip(z.toJSONSchema(schema, { io: "output", unrepresentable: "any", override: describe }));
}

const DEFINITIONS = "#/$defs/";

/**
 * Puts the definitions of schemas that contain themselves where a document has its schemas: `$defs` inside a part of it
 * cannot be referred to. `known` is what the document has there besides. Throws where two parts mean different things by
 * one name.
 */
export function shareDefinitions(
  part: JsonSchema,
  known: Record<string, JsonSchema>,
): { part: JsonSchema; schemas: Record<string, JsonSchema> } {
  const schemas = { ...known };
  const take = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(take);
    if (typeof value !== "object" || value === null) return value;
    const { $defs = {}, ...rest } = value as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs)) {
      const shared = take(definition) as JsonSchema;
      if (JSON.stringify(schemas[name] ?? shared) !== JSON.stringify(shared))
        throw new TypeError(`two schemas are named ${name}`);
      schemas[name] = shared;
    }
    const taken = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, take(each)]));
    const reference = taken["$ref"];
    return typeof reference === "string" && reference.startsWith(DEFINITIONS)
      ? { ...taken, $ref: `#/components/schemas/${reference.slice(DEFINITIONS.length)}` }
      : taken;
  };
  return { part: take(part) as JsonSchema, schemas };
}

type Override = NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"];

/**
 * zod describes one side of a pipe only, and takes a preprocessed field for required: both are put right from the
 * declaration itself.
 */
const describe: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  const usual = z.globalRegistry.get(zodSchema)?.["default"];
  // Where something is transformed, zod takes the default for one of what comes out, and leaves it out of the input.
  if (usual !== undefined) jsonSchema.default = usual;
  if ((zodSchema as unknown) === audioBytes) {
    const description = "Audio: base64 or a data URL in JSON, binary in MessagePack.";
    Object.assign(jsonSchema, { type: "string", contentEncoding: "base64", description });
  } else if ((zodSchema as unknown) === audioFile) {
    delete jsonSchema.contentEncoding;
    Object.assign(jsonSchema, {
      type: "string",
      format: "binary",
      description: "The audio file; binary in MessagePack.",
    });
  } else if ((zodSchema as unknown) === sourceBytes) {
    Object.assign(jsonSchema, { type: "string", format: "binary", description: "The file." });
  } else if (def.type === "pipe") {
    const { in: first, out: second } = def as z.core.$ZodPipeDef;
    if (first._zod.def.type === "transform" || second._zod.def.type === "transform") return;
    const { $schema: _, ...bounds } = z.toJSONSchema(second, {
      io: "input",
      unrepresentable: "any",
      override: describe,
    });
    const isInteger = jsonSchema.type === "integer";
    Object.assign(jsonSchema, bounds, isInteger ? { type: "integer" } : {});
  } else if (def.type === "object" && jsonSchema.required !== undefined) {
    const { shape } = def as z.core.$ZodObjectDef;
    const required = jsonSchema.required.filter(
      (name) => shape[name] !== undefined && !z.safeParse(shape[name], undefined).success,
    );
    if (required.length === 0) delete jsonSchema.required;
    else jsonSchema.required = required;
  }
};

/**
 * Removes what says nothing: the dialect, bounds that only mean "safe integer", and `anyOf` of constants where `enum`
 * says the same.
 */
function strip(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema)
    .filter(
      ([name, value]) =>
        name !== "$schema" && !(typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER),
    )
    .map(([name, value]) => [name, stripValue(value)] as const);
  const stripped: JsonSchema = Object.fromEntries(entries);
  const branches = Array.isArray(stripped["anyOf"]) ? (stripped["anyOf"] as JsonSchema[]) : [];
  if (branches.length === 0 || !branches.every((branch) => "const" in branch)) return stripped;
  const { anyOf: _, ...rest } = stripped;
  return { ...rest, enum: branches.map((branch) => branch["const"]) };
}

function stripValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripValue);
  return typeof value === "object" && value !== null ? strip(value as JsonSchema) : value;
}
