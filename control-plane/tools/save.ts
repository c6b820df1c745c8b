import { newIdentifier } from "#common/identifier";
import type { Outbound } from "#common/outbound/outbound";
import { OutboundError } from "#common/outbound/outbound-error";
import type { Sealer } from "#common/secrets/sealer";
import { type Problem, ServiceError } from "#protocol/errors";
import type { ToolCreate, ToolPatch } from "#protocol/tools";
import type { Db } from "../database/database.js";
import { foldText } from "../voices/store.js";
import { toolProblems } from "./checks.js";
import type { ToolDefinition } from "#tools/definition";
import { splitHeaders } from "./secrets.js";
import { changeTool, insertTool } from "./store.js";
import type { ToolRow } from "./table.js";
import { originOf, sampleUrl } from "#tools/url-template";

export interface SaveDependencies {
  db: Db;
  outbound: Outbound;
  sealer: Sealer;
  now: () => Date;
}

/** Makes a tool that no agent has yet. Throws `validation`. */
export async function createTool(dependencies: SaveDependencies, teamId: string, given: ToolCreate): Promise<ToolRow> {
  const { db, outbound, sealer, now } = dependencies;
  const { name, tool_type: toolType, headers: givenHeaders, integration, ...rest } = given;
  const id = newIdentifier();
  const { headers, secrets, problems } = splitHeaders(id, givenHeaders, { headers: [], secrets: {} }, sealer);
  const definition: ToolDefinition = { ...rest, headers, integration: integration ?? null };
  refuse([...problems, ...toolProblems(toolType, name, definition)]);
  await requireCallable(outbound, definition.url);
  const createdAt = now();
  const row: ToolRow = {
    id,
    teamId,
    toolType,
    name,
    nameFolded: foldText(name),
    definition,
    secrets,
    createdAt,
    updatedAt: createdAt,
  };
  await insertTool(db, row);
  return row;
}

/**
 * Changes what is given of a tool; it is checked as a whole, as it will be. A url of another origin drops the stored
 * credentials that are not sent along: whoever may change the url could have them sent to a host of their own. Throws
 * `validation` and `not_found`.
 */
export async function patchTool(
  dependencies: SaveDependencies,
  teamId: string,
  toolId: string,
  patch: ToolPatch,
): Promise<ToolRow> {
  const { db, outbound, sealer, now } = dependencies;
  // Names are resolved before the transaction: the database does not wait for somebody's name server.
  const urlRefusal = await refusalOf(outbound, patch.url ?? "");
  return await changeTool(db, teamId, toolId, (row) => {
    const { name = row.name, headers: givenHeaders, ...rest } = patch;
    const stays = rest.url === undefined || originOf(rest.url) === originOf(row.definition.url);
    const secrets = stays ? row.secrets : {};
    const split =
      givenHeaders === undefined
        ? null
        : splitHeaders(toolId, givenHeaders, { headers: row.definition.headers, secrets }, sealer);
    const definition: ToolDefinition = {
      ...row.definition,
      ...rest,
      headers: split?.headers ?? row.definition.headers,
    };
    refuse([...(split?.problems ?? []), ...toolProblems(row.toolType, name, definition)]);
    refuse(urlRefusal);
    return {
      ...row,
      name,
      nameFolded: foldText(name),
      definition,
      secrets: split?.secrets ?? secrets,
      updatedAt: now(),
    };
  });
}

function refuse(problems: Problem[]): void {
  if (problems.length > 0) throw new ServiceError("validation", { problems });
}

async function requireCallable(outbound: Outbound, url: string): Promise<void> {
  refuse(await refusalOf(outbound, url));
}

/**
 * Whether the guard refuses a URL. A name that resolves to nothing today is no reason to refuse the tool: every call is
 * judged again, and endpoints are often named before they exist.
 */
async function refusalOf(outbound: Outbound, url: string): Promise<Problem[]> {
  if (url === "") return [];
  try {
    await outbound.checkUrl(sampleUrl(url));
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return error.refused ? [{ type: "value_error", loc: ["body", "url"], msg: error.message }] : [];
  }
}
