import { withoutTrailing } from "#common/text/trim";
import type { ToolType } from "#protocol/tools";

const MAX_LENGTH = 64;

/**
 * A tool's display name as language models can call it: `[a-zA-Z][a-zA-Z0-9_-]{0,63}`. Names in other scripts give
 * `tool`.
 */
export function deriveFunctionName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9_-]+/g, "_")
    .replace(/^[_-]+/, "");
  const trimmed = withoutTrailing(plain, "_-");
  const begun = /^[a-zA-Z]/.test(trimmed) ? trimmed : trimmed === "" ? "tool" : `tool_${trimmed}`;
  return begun.slice(0, MAX_LENGTH);
}

/** What a name is derived from. */
export interface NamedTool {
  id: string;
  toolType: ToolType;
  name: string;
}

/**
 * Function names of one agent's tools, by tool id, each unique (letter case aside). Client tools come first, with
 * exactly their own names, which their programs know them by; later ones of a name that is taken get a number. The same
 * tools in the same order get the same names.
 */
export function functionNames(tools: readonly NamedTool[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const clientsFirst = [
    ...tools.filter((tool) => tool.toolType === "client"),
    ...tools.filter((tool) => tool.toolType !== "client"),
  ];
  for (const tool of clientsFirst) {
    const base = tool.toolType === "client" ? tool.name : deriveFunctionName(tool.name);
    const name = firstFree(base, taken);
    taken.add(name.toLowerCase());
    names.set(tool.id, name);
  }
  return names;
}

function firstFree(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base.toLowerCase())) return base;
  for (let number = 2; ; number++) {
    const suffix = `_${number}`;
    const name = `${base.slice(0, MAX_LENGTH - suffix.length)}${suffix}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
