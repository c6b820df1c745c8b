import type { Bus, ObjectBucket } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { FailureLog } from "#common/http/failure-log";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { agentPlatformRoutes } from "#control-plane/agent-platform";
import type { Db } from "#control-plane/database/database";
import { answerForwarded } from "#control-plane/http/answer";
import { Router } from "#control-plane/http/router";
import { noPhoneServers, openPhones } from "#control-plane/phone/configured";
import { type ForwardedResponse, type Principal, uploadsBucket } from "#protocol/bus/control";
import { checkOwn, checkUpstream } from "../agents/documents.js";
import { type EngineName, freshDatabase, silentLog } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";

export interface CallOptions {
  query?: string;
  headers?: Record<string, string>;
  contentType?: string;
  body?: Uint8Array | string;
}

/** An answer with its body as it was sent and parsed. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  json: unknown;
}

/** The routes of the agents platform on a real database, called as the edge's requests arrive. */
export interface Platform {
  db: Db;
  /** Two teams with beta access, and one without. */
  team: Principal;
  otherTeam: Principal;
  noBeta: Principal;
  call(principal: Principal, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** As `call`, with a JSON body. */
  send(principal: Principal, method: string, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startPlatform(engine: EngineName): Promise<Platform> {
  const { database, stop } = await freshDatabase(engine);
  return await platformOn(database.db, stop);
}

/** The platform on a database that the test itself opened. */
export async function platformOn(db: Db, stop: () => Promise<void>): Promise<Platform> {
  const outbound = createOutbound({ allow: ["127.0.0.1"], log: silentLog, dnsServers: ["127.0.0.1:1"] });
  const now = risingTime();
  const options = { db, outbound, sealer: createSealer(["k".repeat(32)]), clock: systemClock, now };
  const noTestRuns = { canRunTests: () => false, onTestRunsQueued: () => undefined };
  const bus = memoryBus();
  const phones = openPhones({ ...options, bus, log: silentLog }, noPhoneServers);
  const router = new Router(agentPlatformRoutes({ ...options, ...noTestRuns, phones }));
  const [team, otherTeam, noBeta] = await Promise.all([addTeam(db), addTeam(db), addTeam(db)]);
  const call: Platform["call"] = async (
    principal,
    method,
    path,
    { query = "", contentType, body = "", headers: given } = {},
  ) => {
    const headers: Record<string, string> = {
      ...given,
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    const request = { method, path, query, headers, body: Buffer.from(body), bodyObject: null, principal };
    const answer = await read(
      bus,
      await answerForwarded(router, bus, silentLog, new FailureLog(silentLog, systemClock), request),
    );
    holdAgainstDocuments(method, path, answer);
    return answer;
  };
  return {
    db,
    team: { ...team.principal, betaAccess: true },
    otherTeam: { ...otherTeam.principal, betaAccess: true },
    noBeta: noBeta.principal,
    call,
    send: (principal, method, path, body) =>
      call(
        principal,
        method,
        path,
        body === undefined ? {} : { contentType: "application/json", body: JSON.stringify(body) },
      ),
    stop,
  };
}

/**
 * Throws for an answer that is not as our own description says, or the vendor's, which knows no integration tools and
 * no test requests.
 */
function holdAgainstDocuments(method: string, path: string, { status, headers, text }: Answer): void {
  const exchange = { method, path, status, contentType: headers["content-type"], text };
  const isOurs = path.endsWith("/test") || text.includes('"tool_type":"integration"');
  const findings = { own: checkOwn(exchange), upstream: isOurs ? null : (checkUpstream?.(exchange) ?? null) };
  // Verbs that a path does not have are in no description.
  if (status === 405 || (findings.own === null && findings.upstream === null)) return;
  throw new Error(`${method} ${path} answered ${status} ${text.slice(0, 1000)}: ${JSON.stringify(findings)}`);
}

/** Wall-clock time that never shows the same millisecond twice, so that "newest first" has one right answer. */
function risingTime(): () => Date {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now());
    return new Date(last);
  };
}

async function read(bus: Bus, { status, headers, body, bodyObject }: ForwardedResponse): Promise<Answer> {
  const bytes = typeof bodyObject === "string" ? await bus.objects(uploadsBucket).get(bodyObject) : body;
  const text = Buffer.from(bytes ?? "").toString();
  return { status, headers, text, json: text === "" ? null : JSON.parse(text) };
}

/** Of the bus, only the place for large answers is used here. */
function memoryBus(): Bus {
  const kept = new Map<string, Uint8Array>();
  const bucket: Pick<ObjectBucket, "put" | "get" | "delete"> = {
    put: async (name, bytes) => void kept.set(name, Uint8Array.from(bytes)),
    get: async (name) => kept.get(name) ?? null,
    delete: async (name) => void kept.delete(name),
  };
  return { objects: () => bucket } as unknown as Bus;
}
