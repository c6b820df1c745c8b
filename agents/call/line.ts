import type { ConversationPlan } from "#protocol/bus/conversation";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { Clock } from "#common/clock";
import type { Dial } from "#common/livekit/livekit-dialer";
import type { Conversation } from "../conversation/conversation.js";
import type { LogWriter } from "../conversation/log-writer.js";
import type { LineEvent } from "../room/room.js";
import { Dialing } from "./dialing.js";
import { entryText, Keypad } from "./keypad.js";

/** The phone line of a conversation; one that is held over the web has none, and nothing happens. */
export interface Line {
  /** Dials, or watches what was dialed. */
  begin(): void;
  event(event: LineEvent): void;
  /** Gives the keys that were pressed last, where nobody was told of them. */
  close(): string;
}

export interface LineOptions {
  plan: ConversationPlan;
  past: readonly ConversationRecord[];
  records: Pick<LogWriter, "write" | "settled">;
  clock: Clock;
  dial(call: Dial): Promise<void>;
  tell(what: (conversation: Pick<Conversation, "input" | "end">) => void): void;
}

/** Whoever answered is in the room by then, or has hung up. */
const JOIN_MS = 8000;
/** The line is cut so long after the conversation should have ended. */
const OVERTIME_MS = 60_000;

/** The line of a conversation: dials a call out, and reads its keys. */
export function openLine(options: LineOptions): Line {
  const { plan, past, clock, tell } = options;
  const keypad = new Keypad(clock, (keys) =>
    tell((conversation) => conversation.input({ type: "typed", text: entryText(keys) })),
  );
  const dialing = openDialing(options);
  let cancelJoin: () => void = () => undefined;
  const end = (reason: "not_answered" | "never_joined" | "caller_left"): void =>
    tell((conversation) => conversation.end(reason, null, false));
  return {
    begin() {
      if (plan.call === undefined || past.some(({ type }) => type === "caller-joined")) return;
      if (dialing !== null) return void dialing.begin();
      const resolved = past.find((record) => record.type === "dial-resolved");
      if (resolved !== undefined && resolved.status !== "answered") return end("not_answered");
      // Answered, or come in: the caller is there, or has hung up while no runtime was.
      cancelJoin = clock.after(JOIN_MS, () => end(resolved === undefined ? "never_joined" : "caller_left"));
    },
    event(event) {
      if (event.type === "key") return keypad.press(event.key);
      if (event.type === "seen" || event.type === "answered") cancelJoin();
      if (event.type === "seen") return dialing?.seen();
      if (event.type === "answered") return dialing?.answered();
      if (dialing === null) end("never_joined");
      else dialing.lost(event.loss);
    },
    close() {
      cancelJoin();
      dialing?.close();
      return keypad.close();
    },
  };
}

/** Null where there is nothing to dial, or it is known what became of it. */
function openDialing({ plan, past, records, clock, dial, tell }: LineOptions): Dialing | null {
  const { call, room } = plan;
  if (call === undefined || call.dial === null) return null;
  if (past.some(({ type }) => type === "dial-resolved")) return null;
  const { trunkId, ringMs } = call.dial;
  return new Dialing({
    ...{ clock, ringMs },
    hasDialed: past.some(({ type }) => type === "dialing"),
    async recordDialing() {
      records.write({ type: "dialing" });
      await records.settled();
    },
    dial: () =>
      dial({
        ...{ trunkId, ringMs, fromNumber: call.callerNumber, toNumber: call.dialedNumber },
        ...{ room: room.name, identity: room.callerIdentity, maxDurationMs: plan.maxDurationMs + OVERTIME_MS },
      }),
    onResolved(status, detail) {
      records.write({ type: "dial-resolved", status, detail });
      if (status !== "answered") tell((conversation) => conversation.end("not_answered", detail, false));
    },
  });
}
