import { queryOptions } from "@tanstack/react-query";
import type { ToolEntity } from "#protocol/tools";
import { ask } from "../../api/request.js";

const TOOLS = "/v1/agent/tools";

/** Where lists of tools are stored in the page. */
export const toolsKey = ["tools"] as const;

export const toolPath = (toolId: string, below = ""): string => `${TOOLS}/${encodeURIComponent(toolId)}${below}`;

/** A tool with all its fields. */
export const toolQuery = (toolId: string) =>
  queryOptions({ queryKey: ["tool", toolId], queryFn: () => ask<ToolEntity>("GET", toolPath(toolId)) });
