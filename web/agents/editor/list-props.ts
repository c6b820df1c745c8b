import { problemAt } from "../problems.js";
import type { ConfigField } from "./config-field.js";
import { valueAt } from "./draft-values.js";
import type { Editor } from "./editor.js";

/** A field with a part of its own in the editor. */
export interface PartProps {
  field: ConfigField;
  editor: Editor;
}

/** What a list of the draft is shown with, and how a problem of one of its fields is found. */
export function listProps<Item>({ field, editor }: { field: Omit<ConfigField, "kind">; editor: Editor }) {
  const { path, label, help } = field;
  return {
    shared: {
      label,
      help,
      problem: problemAt(editor.problems, path),
      items: (valueAt(editor.values, path) ?? []) as readonly Item[],
      onChange: (items: Item[]): void => editor.change(path, items),
    },
    problemOf: (index: number, ...names: string[]) => problemAt(editor.problems, [...path, String(index), ...names]),
  };
}
