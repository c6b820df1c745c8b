import type {
  ConversationPlan,
  ConversationRoom,
  PlannedDestination,
  PlannedTransfers,
} from "#protocol/bus/conversation";
import type { DialStatus } from "#protocol/webhooks";
import type { Clock } from "#common/clock";
import { deferred } from "#common/deferred";
import type { Dial } from "#common/livekit/livekit-dialer";
import { Dialing } from "../call/dialing.js";
import type { LineEvent, Room, RoomCallbacks, VoiceTrack } from "../room/room.js";

/** What a leg needs of its runtime. */
export interface LegContext {
  plan: ConversationPlan;
  clock: Clock;
  /** Joins the leg's room as the agent; its voice is at the rate of `onAudio`. */
  openRoom(options: { room: ConversationRoom; hasCallerJoined: boolean; callbacks: RoomCallbacks }): Promise<Room>;
  dial(call: Dial): Promise<void>;
}

/** The other call of a warm transfer: whom the agent calls, in a room apart from the caller. */
export interface Leg {
  readonly voice: VoiceTrack;
  /** What became of the dial, and why; `answered` where somebody is there already. */
  readonly dialed: Promise<{ status: DialStatus; detail: string | null }>;
  /** Resolves when whoever answered is gone. */
  readonly left: Promise<void>;
  /** What they say, and the keys that they press, go here. */
  onAudio: (samples: Int16Array) => void;
  onKey: (key: string) => void;
  /** Leaves them; where `hangsUp` their line is cut, or it stops ringing. */
  close(options: { hangsUp: boolean }): Promise<void>;
}

/** The line is cut so long after the conversation should have ended. */
const OVERTIME_MS = 60_000;
/** LiveKit SIP comes back to a room that it lost for a moment. */
const ABSENCE_MS = 5000;
/** Somebody whom an earlier runtime connected is in the room by then, or is gone. */
const REJOIN_MS = 8000;

/** Where a transfer's destination is: apart from the caller, and from the destinations of other transfers. */
export function legRoom(plan: ConversationPlan, name: string): ConversationRoom {
  return { name, callerIdentity: `transfer-${plan.sessionId}`, agentIdentity: plan.room.agentIdentity };
}

/** Calls a destination. Rejects where its room cannot be joined: then nobody was called. */
export async function dialLeg(
  context: LegContext,
  room: ConversationRoom,
  { phoneNumber }: PlannedDestination,
  { trunkId, fromNumber, ringMs }: PlannedTransfers,
): Promise<Leg> {
  const { plan, clock } = context;
  const dialed = deferred<{ status: DialStatus; detail: string | null }>();
  const dialing = new Dialing({
    ...{ clock, ringMs, hasDialed: false },
    // The record of the transfer says so.
    recordDialing: () => Promise.resolve(),
    dial: () =>
      context.dial({
        ...{ trunkId: trunkId ?? "", ringMs, fromNumber, toNumber: phoneNumber },
        ...{ room: room.name, identity: room.callerIdentity, maxDurationMs: plan.maxDurationMs + OVERTIME_MS },
      }),
    onResolved: (status, detail) => dialed.resolve({ status, detail }),
  });
  const leg = await openLeg(context, { room, hasJoined: false, dialed: dialed.promise, dialing });
  void dialing.begin();
  return leg;
}

/** Goes back to a destination whom an earlier runtime connected; nobody is called. Rejects where it cannot be had. */
export async function rejoinLeg(context: LegContext, room: ConversationRoom): Promise<Leg> {
  const dialed = Promise.resolve({ status: "answered" as const, detail: null });
  return await openLeg(context, { room, hasJoined: true, dialed, dialing: null });
}

async function openLeg(
  { clock, openRoom }: LegContext,
  of: { room: ConversationRoom; hasJoined: boolean; dialed: Leg["dialed"]; dialing: Dialing | null },
): Promise<Leg> {
  const { dialing } = of;
  const left = deferred<void>();
  let cancelAbsence = of.hasJoined ? clock.after(REJOIN_MS, () => left.resolve()) : (): void => undefined;
  const heard: Pick<Leg, "onAudio" | "onKey"> = { onAudio: () => undefined, onKey: () => undefined };
  const room = await openRoom({
    room: of.room,
    hasCallerJoined: of.hasJoined,
    callbacks: {
      onCallerJoined: () => cancelAbsence(),
      onCallerLeft(isFinal) {
        cancelAbsence();
        cancelAbsence = clock.after(isFinal ? 0 : ABSENCE_MS, () => left.resolve());
      },
      onAudio: (samples) => heard.onAudio(samples),
      onClientEvent: () => undefined,
      onLine: (event) => (event.type === "key" ? heard.onKey(event.key) : followDial(dialing, event)),
      onLost() {
        dialing?.lost("other");
        left.resolve();
      },
    },
  });
  return Object.assign(heard, {
    ...{ voice: room.voice, dialed: of.dialed, left: left.promise },
    async close({ hangsUp }: { hangsUp: boolean }) {
      cancelAbsence();
      dialing?.close();
      await room.close({ deletesRoom: hangsUp });
    },
  });
}

function followDial(dialing: Dialing | null, event: Exclude<LineEvent, { type: "key" }>): void {
  if (event.type === "seen") dialing?.seen();
  else if (event.type === "answered") dialing?.answered();
  else dialing?.lost(event.loss);
}
