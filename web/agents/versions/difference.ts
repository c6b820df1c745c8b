import { fieldOf } from "../editor/field-groups.js";
import { type FieldPath, isRecord } from "../editor/draft-values.js";
import { type LineChange, lineChanges } from "./line-changes.js";

/** A field in which two configurations differ, as text for people. */
export interface Difference {
  path: string;
  label: string;
  /** Where either text has several lines: line by line what went and what came; null for a plain before and after. */
  lines: readonly LineChange[] | null;
  before: string;
  after: string;
}

/** Ids and what they are called, where that is known. */
export type NamesById = ReadonlyMap<string, string>;

/** Where two configurations differ, field by field in the order of the fields. */
export function differencesOf(before: unknown, after: unknown, names: NamesById = new Map()): Difference[] {
  return leavesOf(before, after, []).flatMap(({ path, before, after }) => {
    const known = new Map([...names, ...choiceNames(path)]);
    const texts = [textOf(before, known), textOf(after, known)] as const;
    // A key that was replaced differs only in what is never shown.
    if (texts[0] === texts[1]) return [];
    const isLong = texts.some((text) => text.includes("\n"));
    return [
      {
        path: path.join("."),
        label: labelOf(path),
        lines: isLong ? lineChanges(texts[0], texts[1]) : null,
        before: texts[0],
        after: texts[1],
      },
    ];
  });
}

interface Leaf {
  path: FieldPath;
  before: unknown;
  after: unknown;
}

function leavesOf(before: unknown, after: unknown, path: FieldPath): Leaf[] {
  if (!isRecord(before) || !isRecord(after)) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => leavesOf(before[name], after[name], [...path, name]));
}

function labelOf(path: FieldPath): string {
  const field = fieldOf(path);
  if (field === undefined) return path.join(".");
  const below = path.slice(field.path.length);
  return below.length === 0 ? field.label : `${field.label}, ${below.map(words).join(", ")}`;
}

/** What the values of a field with choices are called in the editor. */
function choiceNames(path: FieldPath): [string, string][] {
  const field = fieldOf(path);
  return field?.kind === "choice" && field.path.length === path.length
    ? field.choices.map(({ value, label }) => [value, label])
    : [];
}

const words = (name: string): string => name.replaceAll("_", " ");

/** A value as people write it; a list has one thing in each line. */
function textOf(value: unknown, names: NamesById): string {
  if (value === undefined || value === null || value === "") return "nothing";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length === 0 ? "nothing" : value.map((item) => textOf(item, names)).join("\n");
  if (isRecord(value))
    return Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== "")
      .map(([name, inner]) => `${words(name)}: ${textOf(inner, names).replaceAll("\n", ", ")}`)
      .join("; ");
  return names.get(String(value)) ?? String(value);
}
