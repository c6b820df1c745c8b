import type { Principal } from "#protocol/bus/control";
import type { EngineName } from "../control-plane/databases.js";
import { type ServiceFixture, startFixture } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { checkOwn, checkUpstream, type Exchange } from "./documents.js";

/** An answer with its JSON, null where there is no body. Fields of strangers' shapes are read as they come. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  json: Record<string, unknown>;
  text: string;
}

/** The agents platform as one team's key sees it. */
export interface TeamClient {
  principal: Principal;
  /** Sends `body` as JSON where there is one. `path` may carry a query. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Speaks to the service as an edge does, for a caller or for nobody. */
export function clientOf(fixture: ServiceFixture, principal: Principal | null): TeamClient["ask"] {
  return async (method, address, body, headers = {}) => {
    const [path = "", query = ""] = address.split("?");
    const contentType = body === undefined ? undefined : "application/json";
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const response = await fixture.call(principal, method, path, { query, contentType, body: sent, headers });
    const text = Buffer.from(response.body).toString();
    holdAgainstDocuments({
      method,
      path,
      status: response.status,
      contentType: response.headers["content-type"],
      text,
    });
    const isJson = response.headers["content-type"] === "application/json";
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
  };
}

/** Throws for an answer that is not as our own description says, or the vendor's where that has the operation. */
function holdAgainstDocuments(exchange: Exchange): void {
  const findings = { own: checkOwn(exchange), upstream: checkUpstream?.(exchange) ?? null };
  if (findings.upstream === "unknown") findings.upstream = null;
  if (findings.own === null && findings.upstream === null) return;
  throw new Error(
    `${exchange.method} ${exchange.path} answered ${exchange.status} ${exchange.text}: ${JSON.stringify(findings)}`,
  );
}

/** A team of its own, with beta access. */
export async function addClient(fixture: ServiceFixture, change: Partial<Principal> = {}): Promise<TeamClient> {
  const team = await addTeam(fixture.db);
  const principal = { ...team.principal, betaAccess: true, ...change };
  return { principal, ask: clientOf(fixture, principal) };
}

/** A service and two teams on it. */
export async function startTeams(
  engine: EngineName,
  options: Parameters<typeof startFixture>[1] = {},
): Promise<{ fixture: ServiceFixture; team: TeamClient; other: TeamClient }> {
  const fixture = await startFixture(engine, options);
  return { fixture, team: await addClient(fixture), other: await addClient(fixture) };
}

/** A new agent's id. */
export async function createAgent(
  team: TeamClient,
  body: Record<string, unknown> = { name: "agent" },
): Promise<string> {
  const { status, json, text } = await team.ask("POST", "/v1/agent/agents", body);
  if (status !== 201) throw new Error(`no agent: ${status} ${text}`);
  return String(json["agent_id"]);
}
