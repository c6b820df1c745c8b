import type { S3Client } from "#common/objects/s3-client";
import type { EngineName } from "../control-plane/databases.js";
import { type ServiceFixture, startFixture } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { clientOf, createAgent, type TeamClient } from "../agents/client.js";
import { openLiveKit } from "#control-plane/sessions/livekit";
import { readBalances } from "#control-plane/ledger/accounts";
import type { CallSettings } from "#control-plane/calls/context";
import type { PhoneLines } from "#control-plane/calls/lines";
import type { PhoneServers } from "#control-plane/phone/configured";
import type { SessionSettings } from "#control-plane/sessions/context";
import type { RoomServer } from "#control-plane/sessions/rooms";
import { until } from "../harness/processes.js";
import { type RoomServerStandIn, startRoomServer } from "./room-server.js";
import { type RuntimeStandIn, startRuntime } from "./runtime.js";
import { startWorker, type WorkerStandIn } from "./worker.js";

/** A control plane with a room server, a runtime and a worker, all stand-ins. */
export interface SessionPlatform {
  fixture: ServiceFixture;
  roomServer: RoomServerStandIn;
  /** How the control plane uses the room server. */
  rooms: RoomServer;
  runtime: RuntimeStandIn;
  worker: WorkerStandIn;
  /** A team with beta access and so much credit, in micros. */
  addTeam(creditMicros?: number): Promise<TeamClient>;
  balances(team: TeamClient): Promise<{ credit: number; held: number; spent: number }>;
  stop(): Promise<void>;
}

export async function startPlatform(
  engine: EngineName,
  options: {
    sessions?: SessionSettings;
    allow?: string[];
    now?: () => Date;
    s3?: S3Client;
    phones?: PhoneServers;
    calls?: CallSettings;
    lines?: PhoneLines;
  } = {},
): Promise<SessionPlatform> {
  const roomServer = await startRoomServer();
  const { url, apiKey, apiSecret } = roomServer;
  const rooms = openLiveKit({ url, publicUrl: "wss://rooms.example/", apiKey, apiSecret });
  const fixture = await startFixture(engine, { ...options, rooms });
  const worker = startWorker(fixture.bus);
  const runtime = await startRuntime(fixture.bus);
  const platform: SessionPlatform = {
    fixture,
    roomServer,
    rooms,
    runtime,
    worker,
    async addTeam(creditMicros = 10_000_000) {
      const { principal } = await addTeam(fixture.db, { balanceMicros: creditMicros });
      const withAccess = { ...principal, betaAccess: true };
      return { principal: withAccess, ask: clientOf(fixture, withAccess) };
    },
    async balances({ principal }) {
      const { credit, held, spent } = await readBalances(fixture.db, principal.teamId);
      return { credit, held, spent };
    },
    async stop() {
      runtime.kill();
      worker.kill();
      await fixture.stop();
      await roomServer.stop();
    },
  };
  // The service has heard of the runtime once it gives it a conversation.
  const team = await platform.addTeam();
  const agentId = await publishedAgent(team);
  await until(async () => (await team.ask("POST", "/v1/agent/sessions", { agent_id: agentId })).status === 201, {
    withinMs: 15_000,
    what: "the service to know the runtime",
  });
  return platform;
}

/** An agent with a published version. */
export async function publishedAgent(
  team: TeamClient,
  config: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
): Promise<string> {
  const agentId = await createAgent(team, { name: "Ann", config });
  const path = `/v1/agent/agents/${agentId}`;
  if (Object.keys(change).length > 0) await team.ask("PATCH", path, change);
  const { status, text } = await team.ask("POST", `${path}/publish`);
  if (status !== 200) throw new Error(`not published: ${text}`);
  return agentId;
}

/** A new session's id. */
export async function createSession(
  team: TeamClient,
  agentId: string,
  body: Record<string, unknown> = {},
): Promise<string> {
  const { status, json, text } = await team.ask("POST", "/v1/agent/sessions", { agent_id: agentId, ...body });
  if (status !== 201) throw new Error(`no session: ${status} ${text}`);
  return String(json["session_id"]);
}

/** The session's detail, once it is as wanted. */
export async function sessionWhen(
  team: TeamClient,
  sessionId: string,
  isWanted: (json: Record<string, unknown>) => boolean,
  what: string,
): Promise<Record<string, unknown>> {
  let json: Record<string, unknown> = {};
  await until(
    async () => {
      ({ json } = await team.ask("GET", `/v1/agent/sessions/${sessionId}`));
      return isWanted(json);
    },
    { withinMs: 15_000, what },
  );
  return json;
}

export const hasStatus =
  (status: string) =>
  (json: Record<string, unknown>): boolean =>
    json["status"] === status;
