import type { z } from "zod";
import { type Problem, ServiceError } from "#protocol/errors";

/** Rows shown at most: a large body of wrong items must not make a large answer. */
const MAX_PROBLEMS = 50;

/**
 * Checks a stranger's value against a schema and gives the typed result. Throws `validation` with one problem per
 * finding in pydantic's vocabulary (`missing`, `string_type`, `less_than_equal`, …), where `loc` is `location` followed
 * by the path inside the value. The offending input never appears in a problem.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: (string | number)[] = [],
): z.output<S> {
  // With reportInput an issue carries its value: a missing field differs from one of the wrong type only by it.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describeIssue(issue, location)).slice(0, MAX_PROBLEMS);
  throw new ServiceError("validation", { problems });
}

type Issue = z.core.$ZodIssue;
type Finding = Omit<Problem, "loc">;

function at(loc: (string | number)[], { type, msg, ctx }: Finding): Problem {
  return ctx === undefined ? { type, loc, msg } : { type, loc, msg, ctx };
}

function describeIssue(issue: Issue, prefix: (string | number)[]): Problem[] {
  const loc = [...prefix, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  const outright = issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
  if (outright && issue.input === undefined) return [{ type: "missing", loc, msg: "Field required" }];
  switch (issue.code) {
    case "invalid_type":
      return [at(loc, typeProblem(issue))];
    case "too_small":
      return [at(loc, boundProblem(issue.origin, "min", Number(issue.minimum), issue.inclusive ?? true))];
    case "too_big":
      return [at(loc, boundProblem(issue.origin, "max", Number(issue.maximum), issue.inclusive ?? true))];
    case "invalid_value":
      return [at(loc, literalProblem(issue.values))];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        type: "extra_forbidden",
        loc: [...loc, key],
        msg: "Extra inputs are not permitted",
      }));
    case "invalid_union":
      return describeUnion(issue, loc);
    case "not_multiple_of":
      return [
        {
          type: "multiple_of",
          loc,
          msg: `Input should be a multiple of ${issue.divisor}`,
          ctx: { multiple_of: issue.divisor },
        },
      ];
    case "invalid_key":
    case "invalid_element":
      return issue.issues.flatMap((inner) => describeIssue(inner, loc));
    case "invalid_format":
      return [at(loc, formatProblem(issue))];
    case "custom":
      // A schema that knows pydantic's word for its finding puts it into `params.type`.
      return [
        {
          type: typeof issue.params?.["type"] === "string" ? issue.params["type"] : "value_error",
          loc,
          msg: issue.message,
        },
      ];
  }
}

const typeNames: Readonly<Record<string, [type: string, noun: string]>> = {
  string: ["string_type", "string"],
  number: ["float_type", "number"],
  int: ["int_type", "integer"],
  bigint: ["int_type", "integer"],
  boolean: ["bool_type", "boolean"],
  array: ["list_type", "list"],
  tuple: ["tuple_type", "list"],
  object: ["dict_type", "dictionary"],
  record: ["dict_type", "dictionary"],
  date: ["datetime_type", "datetime"],
  null: ["none_required", "null"],
};

function typeProblem(issue: z.core.$ZodIssueInvalidType): Finding {
  const [type, noun] = typeNames[issue.expected] ?? ["value_error", issue.expected];
  return { type, msg: `Input should be a valid ${noun}` };
}

function boundProblem(origin: string, end: "min" | "max", bound: number, inclusive: boolean): Finding {
  const plural = bound === 1 ? "" : "s";
  const limit = end === "min" ? "at least" : "at most";
  if (origin === "string") {
    const type = end === "min" ? "string_too_short" : "string_too_long";
    return { type, msg: `String should have ${limit} ${bound} character${plural}`, ctx: { [`${end}_length`]: bound } };
  }
  if (origin === "array" || origin === "set" || origin === "map" || origin === "file") {
    const type = end === "min" ? "too_short" : "too_long";
    return { type, msg: `Input should have ${limit} ${bound} item${plural}`, ctx: { [`${end}_length`]: bound } };
  }
  const comparison = end === "min" ? "greater_than" : "less_than";
  const key = end === "min" ? "g" : "l";
  const words = comparison.replace("_", " ");
  if (inclusive)
    return {
      type: `${comparison}_equal`,
      msg: `Input should be ${words} or equal to ${bound}`,
      ctx: { [`${key}e`]: bound },
    };
  return { type: comparison, msg: `Input should be ${words} ${bound}`, ctx: { [`${key}t`]: bound } };
}

function literalProblem(values: readonly unknown[]): Finding {
  const names = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const expected = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
}

/**
 * Pydantic names the pattern as Python writes it: without the slashes around it, and without those that JavaScript
 * escapes.
 */
function formatProblem({ format, pattern }: z.core.$ZodIssueInvalidStringFormat): Finding {
  const type = "string_pattern_mismatch";
  if (format !== "regex" || pattern === undefined) return { type, msg: `Input should be a valid ${format}` };
  const source = pattern.slice(1, pattern.lastIndexOf("/")).replaceAll("\\/", "/");
  return { type, msg: `String should match pattern '${source}'`, ctx: { pattern: source } };
}

/**
 * One finding for a value that fits no branch. Branches that accept its outer shape are more telling than those that
 * refuse it outright, so the one that failed deepest speaks, or one whose type the value has and that finds it too long
 * or too large; where all refused outright, their expectations are named together.
 */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, loc: (string | number)[]): Problem[] {
  const branches = issue.errors.filter((branch) => branch.length > 0);
  const depth = (branch: Issue[]): number => Math.max(...branch.map((inner) => inner.path.length));
  const deepest = branches.toSorted((a, b) => depth(b) - depth(a))[0];
  if (deepest !== undefined && depth(deepest) > 0) return deepest.flatMap((inner) => describeIssue(inner, loc));
  const measured = branches.find((branch) => branch.some(({ code }) => findsAfterType.has(code)));
  if (measured !== undefined) return measured.flatMap((inner) => describeIssue(inner, loc));
  const firsts = branches.map((branch) => branch[0]);
  const literals = firsts.flatMap((inner) => (inner?.code === "invalid_value" ? inner.values : []));
  if (literals.length > 0) return [at(loc, literalProblem(literals))];
  // `inclusive: false` is a value that fits several branches, which a tag rules out.
  if (issue.discriminator !== undefined && issue.inclusive !== false)
    return [tagProblem(issue.input, issue.discriminator, issue.options ?? [], loc)];
  const nouns = firsts.flatMap((inner) =>
    inner?.code === "invalid_type" ? [typeNames[inner.expected]?.[1] ?? inner.expected] : [],
  );
  if (nouns.length === 0) return [{ type: "value_error", loc, msg: issue.message }];
  return [{ type: "union_type", loc, msg: `Input should be a valid ${[...new Set(nouns)].join(" or ")}` }];
}

/** What is found of a value only where its type is right. */
const findsAfterType: ReadonlySet<Issue["code"]> = new Set(["too_small", "too_big", "not_multiple_of", "custom"]);

/** What is wrong with the field that says which branch of a union a value is. */
function tagProblem(value: unknown, tag: string, tags: readonly unknown[], loc: (string | number)[]): Problem {
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, tag);
  if (!isThere) return { type: "missing", loc, msg: "Field required" };
  const expected = tags.map((each) => `'${String(each)}'`).join(", ");
  const msg = `Input tag does not match any of the expected tags: ${expected}`;
  return { type: "union_tag_invalid", loc, msg, ctx: { discriminator: `'${tag}'`, expected_tags: expected } };
}
