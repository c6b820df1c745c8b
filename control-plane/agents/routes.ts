import { validate } from "#common/http/validation";
import { agentCreate, type AgentEntity, agentListQuery, agentUpdate } from "#protocol/agents/agent";
import { configPatch } from "#protocol/agents/config-patch";
import { publishRequest, type VersionSummary } from "#protocol/agents/version";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { type PageEnvelope, pageQuery } from "#protocol/paging";
import { readJsonBody, readOptionalJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type Route, type RouteRequest } from "../http/route.js";
import { createAgent, type DraftDependencies, patchDraft, readDraft } from "./draft.js";
import { restoreVersion } from "./restore.js";
import { deleteAgent, findAgent, listAgents, toAgentEntity, updateAgent } from "./store.js";
import type { AgentRow } from "./tables.js";
import { findVersion, listVersions, publishAgent, toDetail, toSummary, versionNumberOf } from "./versions.js";
import { readingOrigin, widgetConfigOf } from "./widget.js";

type Handler = (dependencies: DraftDependencies, request: RouteRequest) => Promise<ForwardedResponse>;

/**
 * `/v1/agent/agents` (docs/protocol.md "Agents"). Another team's agent answers exactly as a missing one, on every verb,
 * before anything else of the request is looked at.
 */
export function agentRoutes(dependencies: DraftDependencies): Route[] {
  const handlers: [Route["method"], string, Handler][] = [
    ["GET", "/v1/agent/agents", list],
    ["POST", "/v1/agent/agents", create],
    ["GET", "/v1/agent/agents/:agent_id", get],
    ["PATCH", "/v1/agent/agents/:agent_id", patch],
    ["DELETE", "/v1/agent/agents/:agent_id", remove],
    ["GET", "/v1/agent/agents/:agent_id/config", getConfig],
    ["PATCH", "/v1/agent/agents/:agent_id/config", patchConfig],
    ["POST", "/v1/agent/agents/:agent_id/publish", publish],
    ["GET", "/v1/agent/agents/:agent_id/versions", versions],
    ["GET", "/v1/agent/agents/:agent_id/versions/:version_number", getVersion],
    ["POST", "/v1/agent/agents/:agent_id/versions/:version_number/restore", restore],
  ];
  return [
    ...handlers.map(([method, path, handler]): Route => {
      return { method, path, scope: "agents", handle: (request) => handler(dependencies, request) };
    }),
    {
      method: "GET",
      path: "/v1/agent/agents/:agent_id/widget",
      scope: null,
      handle: async ({ parameters, headers }) =>
        json(200, await widgetConfigOf(dependencies.db, parameters["agent_id"] ?? "", readingOrigin(headers))),
    },
  ];
}

function find({ db }: DraftDependencies, request: RouteRequest): Promise<AgentRow> {
  return findAgent(db, request.principal.teamId, request.parameters["agent_id"] ?? "");
}

async function list({ db, sealer }: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(agentListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "agents", teamId, sealer);
  const { read, total } = await listAgents(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { agents: shown.rows.map(toAgentEntity), ...shown.envelope } satisfies PageEnvelope & {
    agents: AgentEntity[];
  });
}

async function create(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  if (!request.principal.betaAccess) throw new ServiceError("private_beta");
  const given = validate(agentCreate, await readJsonBody(request), ["body"]);
  return json(201, toAgentEntity(await createAgent(dependencies, request.principal.teamId, given)));
}

async function get(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, toAgentEntity(await find(dependencies, request)));
}

async function patch(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id: agentId, teamId } = await find(dependencies, request);
  const update = validate(agentUpdate, await readJsonBody(request), ["body"]);
  return json(200, toAgentEntity(await updateAgent(dependencies.db, { teamId, agentId }, update, dependencies.now())));
}

async function remove(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId } = await find(dependencies, request);
  await deleteAgent(dependencies.db, teamId, id);
  return empty(204);
}

async function getConfig(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, await readDraft(dependencies, request.principal.teamId, request.parameters["agent_id"] ?? ""));
}

async function patchConfig(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId } = await find(dependencies, request);
  const change = validate(configPatch, await readJsonBody(request), ["body"]);
  return json(200, await patchDraft(dependencies, teamId, id, change));
}

async function publish(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id: agentId, teamId } = await find(dependencies, request);
  const label = validate(publishRequest, await readOptionalJsonBody(request), ["body"]);
  const titles = { title: label.version_title ?? null, description: label.version_description ?? null };
  return json(200, await publishAgent(dependencies, { teamId, agentId }, titles));
}

async function versions(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id, teamId } = await find(dependencies, request);
  const query = validate(pageQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, `versions of ${id}`, teamId, dependencies.sealer);
  const { read, total } = await listVersions(dependencies.db, id, page);
  const placed = read.map((row) => ({ ...row, id: String(row.versionNumber), createdAt: row.publishedAt }));
  const shown = envelope(page, placed, total);
  return json(200, { versions: shown.rows.map(toSummary), ...shown.envelope } satisfies PageEnvelope & {
    versions: VersionSummary[];
  });
}

async function getVersion(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const agent = await find(dependencies, request);
  const versionNumber = versionNumberOf(request.parameters["version_number"] ?? "");
  const version = versionNumber === null ? null : await findVersion(dependencies.db, agent.id, versionNumber);
  if (version === null) throw new ServiceError("not_found");
  return json(200, toDetail(version));
}

async function restore(dependencies: DraftDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { id: agentId, teamId } = await find(dependencies, request);
  const versionNumber = versionNumberOf(request.parameters["version_number"] ?? "");
  if (versionNumber === null) throw new ServiceError("not_found");
  return json(200, await restoreVersion(dependencies, { teamId, agentId }, versionNumber));
}
