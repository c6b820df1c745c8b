import type { StartedSession } from "../call-options.js";
import type { CallRoom, CallRoomCallbacks, JoinRoom } from "../room.js";

/** Any session. */
export const anySession: StartedSession = { sessionId: "session", url: "ws://room", token: "token" };

/** A room without a network: the test says what happens in it, and reads what was sent there. */
export interface ScriptedRoom {
  join: JoinRoom;
  /** Of the call that has joined. */
  callbacks(): CallRoomCallbacks;
  /** How often it was joined. */
  joined(): number;
  /** Events that were sent to the agent. */
  sent: unknown[];
  muted: boolean[];
  /** How often it was left. */
  left(): number;
}

/** Makes a room that can be joined at once. */
export function scriptedRoom(): ScriptedRoom {
  let given: CallRoomCallbacks | null = null;
  let timesJoined = 0;
  let timesLeft = 0;
  const sent: unknown[] = [];
  const muted: boolean[] = [];
  const room: CallRoom = {
    publishMicrophone: async () => undefined,
    setMuted: async (isMuted) => void muted.push(isMuted),
    send: async (packet) => void sent.push(JSON.parse(new TextDecoder().decode(packet))),
    leave: async () => {
      timesLeft += 1;
    },
  };
  return {
    sent,
    muted,
    joined: () => timesJoined,
    left: () => timesLeft,
    callbacks() {
      if (given === null) throw new Error("nobody has joined");
      return given;
    },
    async join({ callbacks }) {
      given = callbacks;
      timesJoined += 1;
      return room;
    },
  };
}
