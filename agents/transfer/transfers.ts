import {
  type ConversationRoom,
  type PlannedDestination,
  type PlannedTransfers,
  transferRoomName,
} from "#protocol/bus/conversation";
import type { ConversationRecord, TransferOutcome } from "#protocol/bus/conversation-log";
import type { DialStatus } from "#protocol/webhooks";
import { deferred } from "#common/deferred";
import { DialRefused, type Referral } from "#common/livekit/livekit-dialer";
import type { Logger } from "#common/log";
import { dialStatusOf } from "../call/dial-status.js";
import type { Conversation } from "../conversation/conversation.js";
import type { LogWriter } from "../conversation/log-writer.js";
import type { VoiceTrack } from "../room/room.js";
import { completed, failed, type UntimedResult } from "../tools/results.js";
import { bridge } from "./bridge.js";
import type { Confirmation, ConfirmationOptions } from "./confirmation.js";
import { dialLeg, type Leg, type LegContext, legRoom, rejoinLeg } from "./leg.js";

export interface TransfersOptions extends LegContext {
  log: Logger;
  past: readonly ConversationRecord[];
  records: Pick<LogWriter, "write" | "settled">;
  /** Has LiveKit SIP transfer the caller; resolves when the destination took them. */
  refer(referral: Referral): Promise<void>;
  deleteRoom(name: string): Promise<void>;
  confirm(about: Pick<ConfirmationOptions, "leg" | "summary" | "signal">): Promise<Confirmation>;
  /** What the caller hears. */
  voice(): VoiceTrack;
  tell(what: (conversation: Pick<Conversation, "input" | "end">) => void): void;
}

/** Transfers of one conversation: callers are not passed on for ever. */
const MOST_TRANSFERS = 5;
/** LiveKit SIP may cut the caller's line a moment before it says that the transfer has succeeded. */
const REFERRED_MS = 3000;

/** What the model learns of a transfer that failed. */
const explanations: Readonly<Record<Exclude<TransferOutcome, "transferred">, string>> = {
  busy: "The line is busy. The caller is still here.",
  no_answer: "Nobody answered. The caller is still here.",
  declined: "They were asked, and do not take the call now. The caller is still here.",
  failed: "The transfer failed. The caller is still here.",
  cancelled: "The transfer was cancelled.",
};

/**
 * The transfers of one conversation. A cold one has LiveKit SIP send the caller elsewhere, which ends the conversation.
 * A warm one calls the destination in a room of its own, asks there whether they take the caller where the agent is
 * configured so, and then passes the audio of both on to each other until one of them hangs up.
 */
export class Transfers {
  readonly #options: TransfersOptions;
  #count: number;
  #referring: Promise<unknown> | null = null;
  #leg: { transferId: number; leg: Leg } | null = null;
  #toDestination: ((samples: Int16Array) => void) | null = null;
  #isClosed = false;

  constructor(options: TransfersOptions) {
    this.#options = options;
    this.#count = options.past.filter(({ type }) => type === "transfer-started").length;
  }

  /** Goes on with what an earlier runtime began: with a talk, and with nothing else. */
  async resume(): Promise<void> {
    const { past, plan, deleteRoom, log, tell } = this.#options;
    const begun = past.findLast((record) => record.type === "transfer-started");
    if (begun === undefined || begun.mode === "cold") return;
    if (past.some((record) => record.type === "transfer-ended" && record.transferId === begun.transferId)) return;
    const room = this.#room(begun.transferId);
    if (!past.some(({ type }) => type === "transfer-connected")) {
      this.#record(begun.transferId, "failed", "its runtime was lost");
      return await deleteRoom(room.name);
    }
    try {
      this.#connect(begun.transferId, await rejoinLeg(this.#options, room));
    } catch (error) {
      log.warn({ err: error, sessionId: plan.sessionId }, "the destination of a transfer could not be found again");
      tell((conversation) => conversation.end("transferred", null, false));
    }
  }

  /** Runs `transfer_call`. Never rejects; a transfer that succeeds is told to the conversation first. */
  async run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<UntimedResult> {
    const { plan, records, log } = this.#options;
    const planned = plan.call?.transfers;
    const destination = planned?.destinations.find(({ name }) => name === args["destination"]);
    if (planned === undefined || destination === undefined) return failed("There is no destination of this name");
    if (this.#count >= MOST_TRANSFERS) return failed("The caller was passed on too often in this call");
    const transferId = ++this.#count;
    const { name, phoneNumber, mode } = destination;
    records.write({ type: "transfer-started", transferId, destination: name, phoneNumber, mode });
    await records.settled();
    if (signal.aborted || this.#isClosed) return this.#ended(transferId, "cancelled", null);
    if (mode === "cold") return await this.#refer(transferId, destination, planned);
    const summary = typeof args["summary"] === "string" ? args["summary"].trim() : "";
    try {
      return await this.#call(transferId, { destination, planned, summary, signal });
    } catch (error) {
      log.warn({ err: error, sessionId: plan.sessionId }, "the destination of a transfer could not be called");
      return this.#ended(transferId, "failed", error instanceof Error ? error.message : String(error));
    }
  }

  /** The caller has left: `pass` says so, unless a transfer that is under way turns out to be why. */
  callerLeft(pass: () => void): void {
    if (this.#referring === null) return pass();
    const late = new Promise<void>((resolve) => void this.#options.clock.after(REFERRED_MS, resolve));
    void Promise.race([this.#referring, late]).then(pass);
  }

  /** Takes the caller's audio where somebody else listens to it; false where the agent does. */
  take(samples: Int16Array): boolean {
    this.#toDestination?.(samples);
    return this.#toDestination !== null;
  }

  /** The conversation is over, or is another runtime's. */
  close({ isOver }: { isOver: boolean }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const open = this.#leg;
    if (open === null) return;
    if (isOver) this.#record(open.transferId, "transferred", null);
    this.#leave(open.leg, isOver);
  }

  #refer(
    transferId: number,
    { phoneNumber }: PlannedDestination,
    { ringMs }: PlannedTransfers,
  ): Promise<UntimedResult> {
    const { plan, refer, tell } = this.#options;
    const work = async (): Promise<UntimedResult> => {
      try {
        await refer({ room: plan.room.name, identity: plan.room.callerIdentity, toNumber: phoneNumber, ringMs });
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        const status = error instanceof DialRefused ? dialStatusOf(error.sipStatus) : "failed";
        return this.#ended(transferId, status === "answered" ? "failed" : status, detail);
      }
      this.#record(transferId, "transferred", null);
      tell((conversation) => conversation.input({ type: "transferred", isOver: true }));
      return completed(null);
    };
    const referring = work().finally(() => {
      this.#referring = null;
    });
    this.#referring = referring;
    return referring;
  }

  async #call(
    transferId: number,
    of: { destination: PlannedDestination; planned: PlannedTransfers; summary: string; signal: AbortSignal },
  ): Promise<UntimedResult> {
    const { destination, planned, summary, signal } = of;
    const { records, tell, confirm } = this.#options;
    const leg = await dialLeg(this.#options, this.#room(transferId), destination, planned);
    const cancelled = deferred<{ status: "cancelled"; detail: null }>();
    const cancel = (): void => cancelled.resolve({ status: "cancelled", detail: null });
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    const dialed: { status: DialStatus | "cancelled"; detail: string | null } = await Promise.race([
      leg.dialed,
      cancelled.promise,
    ]);
    const giveUp = (outcome: Exclude<TransferOutcome, "transferred">): UntimedResult => {
      signal.removeEventListener("abort", cancel);
      this.#leave(leg, true);
      return this.#ended(transferId, signal.aborted ? "cancelled" : outcome, dialed.detail);
    };
    const { status, detail } = dialed;
    if (status === "cancelled") return giveUp("cancelled");
    records.write({ type: "transfer-dialed", transferId, status, detail });
    if (status !== "answered") return giveUp(status);
    const answer = destination.confirms ? await confirm({ leg, summary, signal }) : "accepted";
    if (signal.aborted) return giveUp("cancelled");
    if (answer !== "accepted") return giveUp(answer === "unanswered" ? "no_answer" : "declined");
    signal.removeEventListener("abort", cancel);
    tell((conversation) => conversation.input({ type: "transferred", isOver: false }));
    this.#connect(transferId, leg);
    return completed(null);
  }

  #connect(transferId: number, leg: Leg): void {
    if (this.#isClosed) return this.#leave(leg, true);
    this.#leg = { transferId, leg };
    this.#toDestination = bridge(this.#options.voice(), leg);
    void leg.left.then(() => this.#options.tell((conversation) => conversation.end("transferred", null, false)));
  }

  #ended(transferId: number, outcome: Exclude<TransferOutcome, "transferred">, detail: string | null): UntimedResult {
    this.#record(transferId, outcome, detail);
    return failed(explanations[outcome]);
  }

  #record(transferId: number, outcome: TransferOutcome, detail: string | null): void {
    this.#options.records.write({ type: "transfer-ended", transferId, outcome, detail });
  }

  #room(transferId: number): ConversationRoom {
    const { plan } = this.#options;
    return legRoom(plan, transferRoomName(plan.sessionId, transferId));
  }

  #leave(leg: Leg, hangsUp: boolean): void {
    leg.close({ hangsUp }).catch((error: unknown) => {
      const { log, plan } = this.#options;
      log.warn({ err: error, sessionId: plan.sessionId }, "the room of a transfer could not be closed");
    });
  }
}
