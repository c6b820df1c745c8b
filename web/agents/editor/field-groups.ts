import type { ConfigField, FieldGroup } from "./config-field.js";
import type { FieldPath } from "./draft-values.js";
import { serviceGroups } from "./service-groups.js";
import { speechGroups } from "./speech-groups.js";

/** Every field of the configuration, in the order of the editor. */
export const fieldGroups: readonly FieldGroup[] = [...speechGroups, ...serviceGroups];

type NamedField = { path: FieldPath; label: string; kind: "elsewhere" };
/** Fields that pages of their own change. */
const changedElsewhere: readonly NamedField[] = [
  { path: ["tools", "tool_ids"], label: "Attached tools", kind: "elsewhere" },
  { path: ["knowledge_base", "knowledge_source_ids"], label: "Attached knowledge", kind: "elsewhere" },
];

const allFields: readonly (ConfigField | NamedField)[] = [
  ...fieldGroups.flatMap(({ fields }) => fields),
  ...changedElsewhere,
];

/** The field that a path is of, or lies in; undefined where the console knows none. */
export function fieldOf(path: FieldPath): ConfigField | NamedField | undefined {
  return allFields.find((field) => field.path.every((name, index) => path[index] === name));
}
