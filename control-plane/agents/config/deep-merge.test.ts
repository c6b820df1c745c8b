import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepMerge } from "./deep-merge.js";

const json = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 5 });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every path to something that is no object, with what is there; empty objects count as leaves. */
function leaves(value: unknown, path: string[] = []): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [[JSON.stringify(path), value]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
}

const at = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );

describe("deepMerge", () => {
  it("merges objects, and replaces lists and scalars", () => {
    const base = { prompt: { text: "a", mode: "x" }, ids: [1, 2, 3], flag: true };
    expect(deepMerge(base, { prompt: { text: "" }, ids: [4], flag: undefined })).toEqual({
      prompt: { text: "", mode: "x" },
      ids: [4],
      flag: true,
    });
  });

  it("is unchanged by an empty patch, and by itself", () => {
    fc.assert(
      fc.property(object, (base) => {
        expect(plain(deepMerge(base, {}))).toEqual(plain(base));
        expect(plain(deepMerge(base, base))).toEqual(plain(base));
      }),
    );
  });

  it("holds every leaf of the patch, and every leaf of the base that the patch does not reach", () => {
    fc.assert(
      fc.property(object, object, (base, patch) => {
        const merged = plain(deepMerge(base, patch));
        // An empty object holds nothing: the other side may fill it.
        const isFilled = ([, value]: [string, unknown]): boolean =>
          typeof value !== "object" || value === null || Array.isArray(value);
        const patched = leaves(plain(patch)).filter(isFilled);
        for (const [path, value] of patched) expect(at(merged, JSON.parse(path) as string[])).toEqual(value);
        for (const [path, value] of leaves(plain(base)).filter(isFilled)) {
          const steps = JSON.parse(path) as string[];
          const reached = steps.some((_, index) => {
            const above = at(plain(patch), steps.slice(0, index + 1));
            return (
              above !== undefined &&
              (index + 1 === steps.length || typeof above !== "object" || above === null || Array.isArray(above))
            );
          });
          if (!reached) expect(at(merged, steps)).toEqual(value);
        }
      }),
    );
  });

  it("gives the same whether patches come one after the other or merged", () => {
    const withoutNull = fc.dictionary(
      fc.constantFrom("a", "b"),
      fc.dictionary(fc.constantFrom("c", "d"), fc.oneof(fc.integer(), fc.array(fc.integer()))),
    );
    fc.assert(
      fc.property(withoutNull, withoutNull, withoutNull, (base, first, second) => {
        expect(plain(deepMerge(deepMerge(base, first), second))).toEqual(
          plain(deepMerge(base, deepMerge(first, second))),
        );
      }),
    );
  });

  it("reaches no prototype", () => {
    const merged = deepMerge({}, JSON.parse('{"__proto__": {"polluted": true}}')) as Record<string, unknown>;
    expect([merged["polluted"], ({} as Record<string, unknown>)["polluted"]]).toEqual([undefined, undefined]);
  });
});
