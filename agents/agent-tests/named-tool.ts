import type { z } from "zod";
import type { testTool } from "#protocol/agents/tests";
import type { ToolType } from "#protocol/tools";
import type { NamedTool } from "../tools/named-tools.js";

/** A tool as a test names it. */
export type TestToolReference = z.output<typeof testTool>;

/** A tool of the agent, as results name it. */
export interface TestedTool {
  /** As the model calls it. */
  functionName: string;
  /** Null for a function that the agent does not have. */
  id: string | null;
  /** Null for the platform's own tools and for what the agent does not have. */
  type: ToolType | null;
  /** As its owner calls it. */
  name: string;
}

/** What is known of the function that the model called. */
export function testedTool(functionName: string, named: NamedTool | undefined): TestedTool {
  if (named === undefined) return { functionName, id: null, type: null, name: functionName };
  if (named.kind === "builtin") return { functionName, id: named.name, type: null, name: named.name };
  const { id, toolType, name } = named.tool;
  return { functionName, id, type: toolType, name };
}

/**
 * Whether a test means this tool: by its id, or by its name where a test came from another server, with other ids.
 * Pure.
 */
export function isMeant(reference: Pick<TestToolReference, "id" | "name">, tool: TestedTool): boolean {
  if (reference.id === tool.id) return true;
  return reference.name !== "" && (reference.name === tool.name || reference.name === tool.functionName);
}

/** What a test calls the tool. */
export function nameOf({ name, id }: Pick<TestToolReference, "id" | "name">): string {
  return name === "" ? id : name;
}
