import { ServiceError } from "#protocol/errors";
import { LiveKitError } from "#common/livekit/livekit-error";
import { callerToken, type LiveKitAccess, openLiveKitServer } from "#common/livekit/livekit-server";
import type { RoomServer } from "./rooms.js";

export interface LiveKitOptions extends LiveKitAccess {
  /** What callers are told. */
  publicUrl: string;
}

/** A caller, the agent, and for a moment the runtimes that take over from one another. */
const MAX_PARTICIPANTS = 5;
/** How long a room outlives the last one who leaves: a caller whose network is gone comes back to it. */
const DEPARTURE_SECONDS = 30;

/** Rooms of a LiveKit server. Nothing is asked of it before the first room. */
export function openLiveKit(options: LiveKitOptions): RoomServer {
  const server = openLiveKitServer(options);
  return {
    publicUrl: options.publicUrl.replace(/^http/, "ws").replace(/\/$/, ""),
    create: ({ name, emptyMs }) =>
      reaching(() =>
        server.createRoom({
          name,
          emptySeconds: Math.ceil(emptyMs / 1000),
          departureSeconds: DEPARTURE_SECONDS,
          maxParticipants: MAX_PARTICIPANTS,
        }),
      ),
    sign: ({ room, identity, validMs }) =>
      callerToken(options, { room, identity, expiresAtEpochMs: Date.now() + validMs }),
    delete: (name) => reaching(() => server.deleteRoom(name)),
  };
}

/** Does `work`; a server that cannot do it cannot be used now. */
async function reaching(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof LiveKitError) throw new ServiceError("agent_gateway_unreachable", { cause });
    throw cause;
  }
}
