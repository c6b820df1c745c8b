import { validate } from "#common/http/validation";
import { sessionCreate, sessionCreateQuery, sessionListQuery, type SessionSummary } from "#protocol/agents/session";
import type { ForwardedResponse } from "#protocol/bus/control";
import type { PageEnvelope } from "#protocol/paging";
import { readJsonBody } from "../http/json-body.js";
import { envelope, readPage } from "../http/paging.js";
import { queryRecord } from "../http/query.js";
import { empty, json, type Route, type RouteRequest, type VisitorRequest } from "../http/route.js";
import { analyzeAgain, findAnalysis } from "./analysis/begin.js";
import { toSessionAnalysis } from "./analysis/entity.js";
import type { SessionContext } from "./context.js";
import { createSession } from "./create.js";
import { endSession } from "./end.js";
import { toSessionDetail, toSessionSummary } from "./entity.js";
import { findSession, itemsOf, listSessions } from "./store.js";
import type { SessionRow } from "./tables.js";

/** `/v1/agent/sessions` (docs/agents.md "Sessions"). */
export function sessionRoutes(context: SessionContext): Route[] {
  return [
    {
      method: "POST",
      path: "/v1/agent/sessions",
      scope: "agents",
      isKeyOptional: true,
      handleAnybody: (request) => create(context, request),
    },
    { method: "GET", path: "/v1/agent/sessions", scope: "agents", handle: (request) => list(context, request) },
    {
      method: "GET",
      path: "/v1/agent/sessions/:session_id",
      scope: "agents",
      handle: async (request) => {
        const row = await find(context, request);
        const [items, analysis] = [await itemsOf(context.db, row.id), await findAnalysis(context.db, row.id)];
        return json(200, toSessionDetail(row, items, analysis === null ? null : toSessionAnalysis(analysis)));
      },
    },
    {
      method: "POST",
      path: "/v1/agent/sessions/:session_id/end",
      scope: "agents",
      handle: async (request) => {
        await endSession(context, await find(context, request));
        return empty(204);
      },
    },
    {
      method: "POST",
      path: "/v1/agent/sessions/:session_id/analysis",
      scope: "agents",
      handle: async (request) => json(202, await analyzeAgain(context, await find(context, request))),
    },
  ];
}

function find({ db }: SessionContext, { principal, parameters }: RouteRequest): Promise<SessionRow> {
  return findSession(db, principal.teamId, parameters["session_id"] ?? "");
}

async function create(context: SessionContext, request: VisitorRequest): Promise<ForwardedResponse> {
  const { principal, headers, clientAddress } = request;
  const { preview: isPreview } = validate(sessionCreateQuery, queryRecord(request.query, []), ["query"]);
  const body = validate(sessionCreate, await readJsonBody(request), ["body"]);
  const caller =
    principal === null ? { principal, visitor: { origin: headers["origin"], address: clientAddress } } : { principal };
  return json(201, await createSession(context, caller, body, { isPreview }));
}

async function list({ db, sealer }: SessionContext, request: RouteRequest): Promise<ForwardedResponse> {
  const { teamId } = request.principal;
  const query = validate(sessionListQuery, queryRecord(request.query, []), ["query"]);
  const page = readPage(query, "sessions", teamId, sealer);
  const { read, total } = await listSessions(db, teamId, query, page);
  const shown = envelope(page, read, total);
  return json(200, { sessions: shown.rows.map(toSessionSummary), ...shown.envelope } satisfies PageEnvelope & {
    sessions: SessionSummary[];
  });
}
