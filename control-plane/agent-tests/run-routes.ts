import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import { testRunListQuery } from "#protocol/agents/test-runs";
import { testRunRequest } from "#protocol/agents/tests";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { pageQuery } from "#protocol/paging";
import type { Attachables } from "../agents/attachables.js";
import { findAgent } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { readOptionalJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { json, type Route, type RouteRequest } from "../http/route.js";
import { toBatch, toBatchSummary, toRunDetail, toRunSummary } from "./run-entity.js";
import { countRuns, findRun, listBatches, listRuns, readBatch } from "./run-store.js";
import { startBatch } from "./start-batch.js";

export interface TestRunDependencies {
  db: Db;
  sealer: Sealer;
  attachables: Attachables;
  /** Whether a runtime lives that runs tests. */
  canRun: () => boolean;
  /** Says that there are runs to take. */
  onQueued: () => void;
  /** Wall-clock time. */
  now: () => Date;
}

type Handler = (dependencies: TestRunDependencies, request: RouteRequest) => Promise<ForwardedResponse>;

/** Runs of agents' tests. Another team's batch or run answers exactly as a missing one. */
export function testRunRoutes(dependencies: TestRunDependencies): Route[] {
  const handlers: [Route["method"], string, Handler][] = [
    ["POST", "/v1/agent/agents/:agent_id/tests/run", run],
    ["GET", "/v1/agent/agents/:agent_id/test-batches", batches],
    ["GET", "/v1/agent/agents/:agent_id/test-batches/:batch_id", batch],
    ["GET", "/v1/agent/test-runs", runs],
    ["GET", "/v1/agent/test-runs/:run_id", detail],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(dependencies, request),
  }));
}

const agentIdOf = (request: RouteRequest): string => request.parameters["agent_id"] ?? "";

async function run(dependencies: TestRunDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { db, attachables, canRun, onQueued, now } = dependencies;
  const { teamId } = request.principal;
  const agentId = agentIdOf(request);
  await findAgent(db, teamId, agentId);
  const body = validate(testRunRequest, await readOptionalJsonBody(request), ["body"]);
  if (!canRun()) throw new ServiceError("tests_cannot_run");
  const batchId = await startBatch(db, attachables, { teamId, agentId, body, now: now() });
  onQueued();
  const { batch: started, runs: queued } = await readBatch(db, agentId, batchId);
  return json(202, toBatch(started, queued));
}

async function batches({ db, sealer }: TestRunDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const agentId = agentIdOf(request);
  const query = validate(pageQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, `test-batches:${agentId}`, teamId, sealer);
  await findAgent(db, teamId, agentId);
  const { read, total } = await listBatches(db, agentId, page);
  const shown = envelope(page, read, total);
  const countsOf = await countRuns(
    db,
    shown.rows.map(({ id }) => id),
  );
  return json(200, { batches: shown.rows.map((row) => toBatchSummary(row, countsOf(row.id))), ...shown.envelope });
}

async function batch({ db }: TestRunDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const agentId = agentIdOf(request);
  await findAgent(db, request.principal.teamId, agentId);
  const found = await readBatch(db, agentId, request.parameters["batch_id"] ?? "");
  return json(200, toBatch(found.batch, found.runs));
}

async function runs({ db, sealer }: TestRunDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(testRunListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "test-runs", teamId, sealer);
  const { read, total } = await listRuns(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { runs: shown.rows.map(toRunSummary), ...shown.envelope });
}

async function detail({ db }: TestRunDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { row, definition } = await findRun(db, request.principal.teamId, request.parameters["run_id"] ?? "");
  return json(200, toRunDetail(row, definition));
}
