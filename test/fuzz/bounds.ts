import type { Draw } from "./random.js";
import type { Schema } from "./schema.js";
import { leastItems, leastValue, type ValueContext } from "./values.js";

/** A value that is the least that fits, but for one place, which is at a declared bound or just past it. */
export interface BoundValue {
  /** Where in the value. */
  path: (string | number)[];
  value: unknown;
}

const DEEPEST = 7;
/** Longer texts and lists are bounds that no test needs to reach. */
const LONGEST = 110_000;
const MOST_ITEMS = 1100;

/**
 * Values at and just past every bound that a schema declares, wherever in it. Whether one fits is for the schema to
 * say.
 */
export function boundValues(schema: Schema, draw: Draw, context: ValueContext, name = "", depth = 0): BoundValue[] {
  if (depth > DEEPEST) return [];
  if (schema.$ref !== undefined) return boundValues(context.resolve(schema.$ref), draw, context, name, depth);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return branches.flatMap((branch) => boundValues(branch, draw, context, name, depth + 1));
  const own = ownBounds(schema, draw, context).map((value): BoundValue => ({ path: [], value }));
  const inItems = schema.items === undefined ? [] : boundValues(schema.items, draw, context, name, depth + 1);
  const rest = leastItems(schema, Math.max(0, (schema.minItems ?? 0) - 1), draw, context);
  const listed = inItems.map(({ path, value }): BoundValue => {
    return { path: [0, ...path], value: [value, ...rest] };
  });
  const fields = Object.entries(schema.properties ?? {}).flatMap(([property, inner]) =>
    boundValues(inner, draw, context, property, depth + 1).map(({ path, value }): BoundValue => {
      const whole = leastValue(schema, draw, context) as Record<string, unknown>;
      return { path: [property, ...path], value: { ...whole, [property]: value } };
    }),
  );
  return [...own, ...listed, ...fields];
}

function ownBounds(schema: Schema, draw: Draw, context: ValueContext): unknown[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minItems, maxItems, type } =
    schema;
  const step = type === "integer" ? 1 : 0.001;
  const items = (count: number): unknown[] => leastItems(schema, count, draw, context);
  const reaches = (bound: number | undefined, most: number): bound is number => bound !== undefined && bound <= most;
  return [
    ...(reaches(maxLength, LONGEST) ? ["m".repeat(maxLength), "m".repeat(maxLength + 1)] : []),
    ...(minLength !== undefined && minLength > 0 ? ["m".repeat(minLength), "m".repeat(minLength - 1)] : []),
    ...(maximum === undefined ? [] : [maximum, maximum + step]),
    ...(minimum === undefined ? [] : [minimum, minimum - step]),
    ...(exclusiveMaximum === undefined ? [] : [exclusiveMaximum - step, exclusiveMaximum]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum + step, exclusiveMinimum]),
    ...(reaches(maxItems, MOST_ITEMS) ? [items(maxItems), items(maxItems + 1)] : []),
    ...(minItems !== undefined && minItems > 0 ? [items(minItems), items(minItems - 1)] : []),
  ];
}
