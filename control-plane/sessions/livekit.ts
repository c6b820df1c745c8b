import { AccessToken, RoomServiceClient, TrackSource, TwirpError } from "livekit-server-sdk";
import { ServiceError } from "#protocol/errors";
import type { RoomServer } from "./rooms.js";

export interface LiveKitOptions {
  /** The server's own address: `ws`, `wss`, `http` or `https`. */
  url: string;
  /** What callers are told. */
  publicUrl: string;
  apiKey: string;
  apiSecret: string;
}

/** A caller, the agent, and for a moment the runtime that takes over from another. */
const MAX_PARTICIPANTS = 3;
/** How long a room outlives the last one who leaves: a caller whose network is gone comes back to it. */
const DEPARTURE_SECONDS = 30;
/** A server that has not answered by then is away: the caller waits for it. */
const ANSWER_SECONDS = 4;

/** Rooms of a LiveKit server. Nothing is asked of it before the first room. */
export function openLiveKit(options: LiveKitOptions): RoomServer {
  const { apiKey, apiSecret } = options;
  const client = new RoomServiceClient(withScheme(options.url, "http"), apiKey, apiSecret, {
    requestTimeout: ANSWER_SECONDS,
    failover: false,
  });
  return {
    publicUrl: withScheme(options.publicUrl, "ws"),
    async create({ name, emptyMs }) {
      await reaching(() =>
        client.createRoom({
          name,
          emptyTimeout: Math.ceil(emptyMs / 1000),
          departureTimeout: DEPARTURE_SECONDS,
          maxParticipants: MAX_PARTICIPANTS,
        }),
      );
    },
    async sign({ room, identity, validMs }) {
      const token = new AccessToken(apiKey, apiSecret, { identity, ttl: Math.ceil(validMs / 1000) });
      token.addGrant({
        room,
        roomJoin: true,
        canSubscribe: true,
        canPublish: true,
        canPublishSources: [TrackSource.MICROPHONE],
        canPublishData: true,
        canUpdateOwnMetadata: false,
      });
      return await token.toJwt();
    },
    async delete(name) {
      await reaching(() => client.deleteRoom(name), ["not_found"]);
    },
  };
}

/** The same address for the other of LiveKit's two protocols, secured or not as it was, without a slash at the end. */
function withScheme(url: string, scheme: "http" | "ws"): string {
  const isSecure = /^(wss|https):/.test(url);
  return url.replace(/^\w+:/, `${scheme}${isSecure ? "s" : ""}:`).replace(/\/$/, "");
}

/** Does `work`; whatever the server answers but one of `fine` means that it cannot be used now. */
async function reaching(work: () => Promise<unknown>, fine: readonly string[] = []): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof TwirpError && cause.code !== undefined && fine.includes(cause.code)) return;
    throw new ServiceError("agent_gateway_unreachable", { cause });
  }
}
