import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a token says, its signature checked. */
export interface Claims {
  iss?: string;
  sub?: string;
  nbf?: number;
  exp?: number;
  video?: Record<string, unknown>;
  [name: string]: unknown;
}

/** The claims of a token that is signed with a secret (HS256); throws for any other. */
export function readToken(token: string, secret: string): Claims {
  const [head = "", body = "", signature = ""] = token.split(".");
  const expected = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
  if (signature !== expected) throw new Error("the token's signature is wrong");
  return JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
}

/** Stands in for a LiveKit server: its RoomService over HTTP, as its own client library calls it. */
export interface RoomServerStandIn {
  url: string;
  apiKey: string;
  apiSecret: string;
  /** The rooms that are, with what they were made with. */
  rooms: Map<string, Record<string, unknown>>;
  /** Names of rooms that were deleted. */
  deleted: string[];
  /** Answers every request with this status while it is not null. */
  failsWith: number | null;
  stop(): Promise<void>;
}

export async function startRoomServer(): Promise<RoomServerStandIn> {
  const standIn: RoomServerStandIn = {
    url: "",
    apiKey: "key",
    apiSecret: "a secret that is long enough for a token",
    rooms: new Map(),
    deleted: [],
    failsWith: null,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => void answer(standIn, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  standIn.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return standIn;
}

async function answer(standIn: RoomServerStandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const reply = (status: number, value: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  if (standIn.failsWith !== null) return reply(standIn.failsWith, { code: "internal", msg: "as told" });
  const { authorization } = request.headers;
  // Whoever only looks whether somebody is there.
  if (authorization === undefined) return reply(401, { code: "unauthenticated", msg: "no token" });
  const claims = readToken(authorization.replace("Bearer ", ""), standIn.apiSecret);
  if (claims.iss !== standIn.apiKey || claims.video?.["roomCreate"] !== true)
    return reply(401, { code: "unauthenticated", msg: "permissions denied" });
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  switch (request.url) {
    case "/twirp/livekit.RoomService/CreateRoom":
      standIn.rooms.set(String(body["name"]), body);
      return reply(200, { sid: "RM_1", name: body["name"] });
    case "/twirp/livekit.RoomService/DeleteRoom": {
      const name = String(body["room"]);
      if (!standIn.rooms.delete(name)) return reply(404, { code: "not_found", msg: "could not find object" });
      standIn.deleted.push(name);
      return reply(200, {});
    }
    default:
      return reply(404, { code: "bad_route", msg: "no such method" });
  }
}
