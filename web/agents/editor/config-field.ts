import type { FieldPath } from "./draft-values.js";

/** One of the values that a field may have, and its name for people. */
export interface Choice {
  value: string;
  label: string;
}

/** A field of the configuration as the editor shows it. */
export type ConfigField = { path: FieldPath; label: string; help: string } & (
  | { kind: "text" | "number" | "switch" }
  | { kind: "lines"; lines: number }
  | { kind: "choice"; choices: readonly Choice[] }
  /** Edited by a part of its own. */
  | { kind: "voice" | "model" | "conversation-init" | "post-call" | "destinations" | "data-fields" | "criteria" }
);

/** Fields that belong together. */
export interface FieldGroup {
  id: string;
  title: string;
  text?: string;
  fields: readonly ConfigField[];
}

/** Choices whose values have these names. */
export function choicesOf<Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): Choice[] {
  return values.map((value) => ({ value, label: labels[value] }));
}
