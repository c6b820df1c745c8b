import { ServiceError } from "#protocol/errors";
import { conversationRoom } from "#common/livekit/conversation-room";
import { callerToken, type LiveKitAccess, LiveKitError, openLiveKitServer } from "#common/livekit/livekit-server";
import type { RoomServer } from "./rooms.js";

export interface LiveKitOptions extends LiveKitAccess {
  /** What callers are told. */
  publicUrl: string;
}

/** Rooms of a LiveKit server. Nothing is asked of it before the first room. */
export function openLiveKit(options: LiveKitOptions): RoomServer {
  const server = openLiveKitServer(options);
  return {
    publicUrl: options.publicUrl.replace(/^http/, "ws").replace(/\/$/, ""),
    create: ({ name, emptyMs }) => reaching(() => server.createRoom(conversationRoom(name, Math.ceil(emptyMs / 1000)))),
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
