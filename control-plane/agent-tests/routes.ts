import { validate } from "#common/http/validation";
import type { Sealer } from "#common/secrets/sealer";
import {
  definitionIn,
  type TestDefinition,
  type TestEntity,
  testCreate,
  testDefinition,
  testListQuery,
  testTool,
  testUpdate,
  typedTest,
} from "#protocol/agents/tests";
import type { ForwardedResponse } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Attachables } from "../agents/attachables.js";
import { deepMerge } from "../agents/config/deep-merge.js";
import { findAgent } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { readJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type Route, type RouteRequest } from "../http/route.js";
import {
  type AttachedTest,
  attachTest,
  changeTest,
  deleteTest,
  detachTest,
  findTest,
  insertTest,
  listTests,
  toSummaries,
  toSummary,
} from "./store.js";

export interface TestDependencies {
  db: Db;
  sealer: Sealer;
  attachables: Pick<Attachables, "tools">;
  /** Wall-clock time. */
  now: () => Date;
}

type Handler = (dependencies: TestDependencies, request: RouteRequest) => Promise<ForwardedResponse>;

/**
 * Tests of agents as records (docs/protocol.md "Agents"). Another team's test or agent answers exactly as a missing
 * one.
 */
export function agentTestRoutes(dependencies: TestDependencies): Route[] {
  const handlers: [Route["method"], string, Handler][] = [
    ["GET", "/v1/agent/tests", list],
    ["POST", "/v1/agent/tests", create],
    ["GET", "/v1/agent/tests/:test_id", get],
    ["PATCH", "/v1/agent/tests/:test_id", patch],
    ["DELETE", "/v1/agent/tests/:test_id", remove],
    ["PUT", "/v1/agent/agents/:agent_id/tests/:test_id", attach],
    ["DELETE", "/v1/agent/agents/:agent_id/tests/:test_id", detach],
    ["GET", "/v1/agent/agents/:agent_id/test-tools", tools],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path,
    scope: "agents",
    handle: (request) => handler(dependencies, request),
  }));
}

const agentIdOf = (request: RouteRequest): string => request.parameters["agent_id"] ?? "";
const testIdOf = (request: RouteRequest): string => request.parameters["test_id"] ?? "";

function find({ db }: TestDependencies, request: RouteRequest): Promise<AttachedTest> {
  return findTest(db, request.principal.teamId, testIdOf(request));
}

function toEntity(test: AttachedTest): TestEntity {
  return { ...test.row.definition, ...toSummary(test) };
}

async function list({ db, sealer }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(testListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "tests", teamId, sealer);
  if (query.agent_id !== undefined) await findAgent(db, teamId, query.agent_id);
  const { read, total } = await listTests(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { tests: await toSummaries(db, shown.rows), ...shown.envelope });
}

async function create({ db, now }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  if (!request.principal.betaAccess) throw new ServiceError("private_beta");
  const given = validate(testCreate, validate(typedTest, await readJsonBody(request), ["body"]), ["body"]);
  const test = {
    teamId: request.principal.teamId,
    definition: definitionIn(given),
    agentIds: given.agent_ids,
    now: now(),
  };
  return json(201, toEntity(await insertTest(db, test)));
}

async function get(dependencies: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  return json(200, toEntity(await find(dependencies, request)));
}

async function patch(dependencies: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { db, now } = dependencies;
  await find(dependencies, request);
  const update = validate(testUpdate, await readJsonBody(request), ["body"]);
  const change = (before: TestDefinition): TestDefinition =>
    validate(testDefinition, deepMerge(before, update), ["body"]);
  await changeTest(db, { teamId: request.principal.teamId, testId: testIdOf(request) }, change, now());
  return json(200, toEntity(await find(dependencies, request)));
}

async function remove({ db }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const testId = testIdOf(request);
  await findTest(db, request.principal.teamId, testId);
  await deleteTest(db, request.principal.teamId, testId);
  return empty(204);
}

async function attach({ db }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  await attachTest(db, request.principal.teamId, agentIdOf(request), testIdOf(request));
  return empty(204);
}

async function detach({ db }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const [agent, test] = [
    await findAgent(db, teamId, agentIdOf(request)),
    await findTest(db, teamId, testIdOf(request)),
  ];
  await detachTest(db, agent.id, test.row.id);
  return empty(204);
}

/** What is shown of a frozen tool. */
interface NamedTool {
  id: string;
  name: string;
  toolType: "webhook" | "client" | "integration";
  definition: { description: string };
}

const hangUpTool = { id: "hang_up_call", name: "hang_up_call", type: "system", description: "Ends the call." };

async function tools({ db, attachables }: TestDependencies, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const { draft } = await findAgent(db, teamId, agentIdOf(request));
  const attached = (await attachables.tools.freeze(db, teamId, draft.tools.tool_ids)) as readonly NamedTool[];
  const named = attached.map(({ id, name, toolType, definition }) => ({
    id,
    name,
    type: toolType,
    description: definition.description,
  }));
  const all = [...named, ...(draft.tools.system_tools.hang_up_call ? [hangUpTool] : [])];
  return json(200, { tools: all.map((tool) => testTool.parse(tool)) });
}
