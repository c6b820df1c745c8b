import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import {
  knowledgeCreate,
  type KnowledgeList,
  knowledgeListQuery,
  knowledgePatch,
  knowledgeSearchRequest,
  type KnowledgeSearchResult,
  type KnowledgeSourceEntity,
  type KnowledgeSourceSummary,
} from "#protocol/knowledge";
import { agentsReferencingKnowledge } from "../agents/references.js";
import type { Db } from "../database/database.js";
import { envelope, readPage } from "../http/paging.js";
import { readJsonBody } from "../http/json-body.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type KeyedRoute, type Route, type RouteRequest } from "../http/route.js";
import { searchKnowledge } from "./search.js";
import {
  changeSource,
  deleteSource,
  findSource,
  insertSource,
  listSources,
  type NewContent,
  readSource,
  type SourceWithText,
} from "./store.js";
import type { SourceRow } from "./tables.js";
import { displayFileName, readText, readUpload } from "./upload.js";

export interface KnowledgeDependencies {
  db: Db;
  sealer: Sealer;
  now: () => Date;
}

/**
 * `/v1/agent/knowledge-sources` (docs/protocol.md "Agents"). Another team's source answers exactly as a missing one.
 */
export function knowledgeRoutes(dependencies: KnowledgeDependencies): Route[] {
  const handlers: [
    KeyedRoute["method"],
    string,
    (dependencies: KnowledgeDependencies, request: RouteRequest) => Promise<ForwardedResponse>,
  ][] = [
    ["GET", "/v1/agent/knowledge-sources", list],
    ["POST", "/v1/agent/knowledge-sources", create],
    ["POST", "/v1/agent/knowledge-sources/search", search],
    ["GET", "/v1/agent/knowledge-sources/:id", get],
    ["PATCH", "/v1/agent/knowledge-sources/:id", patch],
    ["DELETE", "/v1/agent/knowledge-sources/:id", remove],
    ["GET", "/v1/agent/knowledge-sources/:id/agents", agents],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(dependencies, request),
  }));
}

const ownerOf = (request: RouteRequest): { teamId: string; sourceId: string } => {
  return { teamId: request.principal.teamId, sourceId: request.parameters["id"] ?? "" };
};

function toSummary(row: SourceRow): KnowledgeSourceSummary {
  return {
    knowledge_source_id: row.id,
    workspace_id: row.teamId,
    name: row.name,
    description: row.description,
    file_name: row.fileName,
    size_bytes: row.sizeBytes,
    chunk_count: row.chunkCount,
    revision_number: row.revisionNumber,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function toEntity({ source, text }: SourceWithText): KnowledgeSourceEntity {
  return { ...toSummary(source), content: text };
}

async function list({ db, sealer }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(knowledgeListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "knowledge-sources", teamId, sealer);
  const { read, total } = await listSources(db, { teamId, search: query.search ?? null }, page);
  const shown = envelope(page, read, total);
  return json(200, { knowledge_sources: shown.rows.map(toSummary), ...shown.envelope } satisfies KnowledgeList);
}

async function create({ db, now }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { principal } = request;
  if (!principal.betaAccess) throw new ServiceError("private_beta");
  const upload = await readUpload(request);
  const given = validate(knowledgeCreate, upload.values, ["body"]);
  const content = contentOf(given.source, upload.fileName);
  const name = given.name ?? content.fileName;
  const source = await insertSource(db, {
    teamId: principal.teamId,
    name,
    description: given.description,
    content,
    now: now(),
  });
  return json(201, toEntity({ source, text: content.text }));
}

function contentOf(bytes: Uint8Array, fileName: string): NewContent {
  return { text: readText(bytes, fileName), fileName: displayFileName(fileName) };
}

async function get({ db }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId, sourceId } = ownerOf(request);
  return json(200, toEntity(await readSource(db, teamId, sourceId)));
}

async function patch({ db, now }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const owner = ownerOf(request);
  await findSource(db, owner.teamId, owner.sourceId);
  const upload = await readUpload(request);
  const given = validate(knowledgePatch, upload.values, ["body"]);
  const content = given.source === undefined ? null : contentOf(given.source, upload.fileName);
  await changeSource(db, owner, { name: given.name, description: given.description, content, now: now() });
  return json(200, toEntity(await readSource(db, owner.teamId, owner.sourceId)));
}

async function remove({ db }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId, sourceId } = ownerOf(request);
  await deleteSource(db, teamId, sourceId);
  return empty(204);
}

async function agents({ db }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId, sourceId } = ownerOf(request);
  await findSource(db, teamId, sourceId);
  const dependent = await agentsReferencingKnowledge(db, teamId, sourceId);
  return json(200, { agents: dependent, total: dependent.length });
}

async function search({ db }: KnowledgeDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const asked = validate(knowledgeSearchRequest, await readJsonBody(request), ["body"]);
  const { query, limit, knowledge_source_ids: ids } = asked;
  const sources = [...new Set(ids)].map((sourceId) => ({ sourceId, revisionNumber: null }));
  const found = await searchKnowledge(db, { teamId: request.principal.teamId, sources, query, limit });
  return json(200, {
    passages: found.map(({ sourceId, sourceName, heading, content, score }) => {
      return { knowledge_source_id: sourceId, source_name: sourceName, heading, content, score };
    }),
  } satisfies KnowledgeSearchResult);
}
