import { setTimeout as delay } from "node:timers/promises";
import type { DisconnectReason, Room } from "@livekit/rtc-node";

/** What LiveKit's library asks its native part. */
interface NativeRequest {
  message: { case: string; value: Record<string, unknown> };
}

/** A server that is gone is not waited for. */
const LEAVE_MS = 2000;

/**
 * Leaves a room and says why, as LiveKit SIP does with calls that nobody took. The native part of LiveKit's library for
 * Node.js takes a reason, and the library itself has no argument for it: while it asks, the reason is added.
 */
export async function leaveWithReason(room: Room, reason: DisconnectReason): Promise<void> {
  const native: unknown = Reflect.get(globalThis, "_ffiClientInstance");
  if (typeof native !== "object" || native === null) throw new Error("LiveKit's library has no native part here");
  const ask: unknown = Reflect.get(native, "request");
  if (typeof ask !== "function") throw new Error("LiveKit's library asks its native part in another way now");
  const askWithReason = ({ message }: NativeRequest): unknown =>
    Reflect.apply(ask, native, [{ message: { ...message, value: { ...message.value, reason } } }]);
  // While it looks for a server that was killed, the library would do nothing here, and come back to the room later:
  // LiveKit SIP gives its room up.
  if (!room.isConnected) Object.defineProperty(room, "isConnected", { value: true });
  Reflect.set(native, "request", askWithReason);
  // It asks before it waits for anything, so no other request comes in between.
  const left = room.disconnect();
  Reflect.deleteProperty(native, "request");
  await Promise.race([left, delay(LEAVE_MS, undefined, { ref: false })]);
}
