import { Redis } from "ioredis";
import { RoomServiceClient } from "livekit-server-sdk";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { httpUrl } from "#common/livekit/reachability";

/** What the servers beside the roles hold, counted. Two states of a quiet cluster can be compared line by line. */
export type ServersState = Readonly<Record<string, number>>;

export interface Servers {
  livekit: LiveKitAccess;
  redisUrl: string;
  /** Of a NATS server's monitoring, `http://…`. */
  natsMonitorUrl: string;
}

/** Asks LiveKit, Redis and NATS what they hold. */
export async function readServers(servers: Servers): Promise<ServersState> {
  const [livekit, redis, nats] = await Promise.all([
    liveKitState(servers.livekit),
    redisState(servers.redisUrl),
    natsState(servers.natsMonitorUrl),
  ]);
  return { ...livekit, ...redis, ...nats };
}

async function liveKitState({ url, apiKey, apiSecret }: LiveKitAccess): Promise<ServersState> {
  const client = new RoomServiceClient(httpUrl(url), apiKey, apiSecret);
  const rooms = await client.listRooms();
  const participants = await Promise.all(rooms.map(({ name }) => client.listParticipants(name)));
  return { "livekit rooms": rooms.length, "livekit participants": participants.flat().length };
}

/** Keys by their prefix: what stands before the first colon. */
async function redisState(url: string): Promise<ServersState> {
  const redis = new Redis(url);
  try {
    const prefixes = (await redis.keys("*")).map((key) => `redis ${key.slice(0, (key.indexOf(":") + 1 || 1) - 1)}`);
    return Object.fromEntries(
      [...new Set(prefixes)].map((prefix) => [prefix, prefixes.filter((other) => other === prefix).length]),
    );
  } finally {
    redis.disconnect();
  }
}

interface JetStreamReport {
  account_details?: {
    stream_detail?: { name: string; state: { messages: number; num_subjects?: number; consumer_count: number } }[];
  }[];
}

async function natsState(url: string): Promise<ServersState> {
  const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${url}${path}`)).json()) as T;
  const [{ connections }, jetStream] = await Promise.all([
    ask<{ connections: { subscriptions: number }[] }>("/connz"),
    ask<JetStreamReport>("/jsz?streams=1&consumers=1"),
  ]);
  const streams = jetStream.account_details?.flatMap(({ stream_detail: details = [] }) => details) ?? [];
  return {
    "nats subscriptions": connections.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
    "nats connections": connections.length,
    ...Object.fromEntries(
      streams.flatMap(({ name, state }) => [
        [`stream ${name}: messages`, state.messages],
        [`stream ${name}: consumers`, state.consumer_count],
      ]),
    ),
  };
}
