import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** A JSON Schema as the source has it; `extends` names property lists of `definitions` that an object has too. */
export interface SchemaNode {
  type?: string;
  description?: string;
  properties?: Record<string, SchemaNode>;
  extends?: string[];
  items?: SchemaNode;
  $ref?: string;
  [keyword: string]: unknown;
}

const node: z.ZodType<SchemaNode> = z.lazy(() =>
  z
    .object({
      type: z.string(),
      description: z.string(),
      properties: z.record(z.string(), node),
      extends: z.array(z.string()),
      items: node,
      $ref: z.string(),
    })
    .partial()
    .catchall(z.unknown()),
);

const source = node.and(z.object({ definitions: z.record(z.string(), z.record(z.string(), z.unknown())) }));

/** The lists of properties among the definitions, which no schema of their own follows. */
const propertyLists = ["workload", "placement", "scaling", "pool", "gpuPool"];

/** Reads `helm/parley/schema.yaml`, with every `extends` resolved. */
export function readValuesSource(root: string): SchemaNode & { definitions: Record<string, SchemaNode> } {
  const read = source.parse(parse(readFileSync(join(root, "helm/parley/schema.yaml"), "utf8")));
  const lists = Object.fromEntries(
    propertyLists.map((name) => [name, z.record(z.string(), node).parse(read.definitions[name])]),
  );
  const definitions = Object.entries(read.definitions).filter(([name]) => !propertyLists.includes(name));
  const own = Object.fromEntries(definitions.map(([name, value]) => [name, resolve(node.parse(value), lists)]));
  return { ...resolve(read, lists), definitions: own };
}

type PropertyLists = Record<string, Record<string, SchemaNode>>;

function resolve(schema: SchemaNode, lists: PropertyLists): SchemaNode {
  const { extends: names = [], ...rest } = schema;
  const inherited = names.reduce<Record<string, SchemaNode>>(
    (properties, name) => mergeProperties(properties, listOf(lists, name)),
    {},
  );
  const properties = mergeProperties(inherited, schema.properties ?? {});
  return {
    ...rest,
    ...(Object.keys(properties).length === 0
      ? {}
      : { properties: mapValues(properties, (property) => resolve(property, lists)) }),
    ...(schema.items === undefined ? {} : { items: resolve(schema.items, lists) }),
  };
}

function listOf(lists: PropertyLists, name: string): Record<string, SchemaNode> {
  const list = lists[name];
  if (list === undefined) throw new Error(`helm/parley/schema.yaml: nothing is called ${name}`);
  return list;
}

/** A property that both have is the later one, with what lies below merged. */
function mergeProperties(
  earlier: Record<string, SchemaNode>,
  later: Record<string, SchemaNode>,
): Record<string, SchemaNode> {
  const merged = { ...earlier };
  for (const [name, property] of Object.entries(later)) {
    const before = merged[name];
    merged[name] =
      before?.properties === undefined
        ? property
        : { ...property, properties: mergeProperties(before.properties, property.properties ?? {}) };
  }
  return merged;
}

function mapValues<From, To>(values: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
