import { setTimeout as delay } from "node:timers/promises";
import { DisconnectReason } from "@livekit/rtc-node";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import type { MediaSession } from "../media/media-session.js";
import { eventNumberOf } from "../media/telephone-event.js";
import { type PsrpcBus, PsrpcError } from "../psrpc/bus.js";
import type { CallLeg } from "../signalling/call-leg.js";
import type { CallLegs } from "../signalling/call-legs.js";
import type { SipHeader } from "../signalling/message.js";
import { statusError } from "./invite-failure.js";
import { serveTransfer, type TransferParticipant } from "./internal-calls.js";
import type { SipParticipant } from "./sip-participant.js";

/** What every call of the stand-in needs. */
export interface StandInContext {
  liveKit: LiveKitAccess;
  bus: PsrpcBus;
  legs: CallLegs;
  /** The stand-in ends, and its calls with it. */
  closing: Promise<void>;
  /** What has to be over before it has ended. */
  ongoing: Set<Promise<void>>;
}

/** Has the end of the stand-in wait for something. */
export function keepOpen({ ongoing }: StandInContext, work: Promise<void>): void {
  const done = work.catch(() => undefined).finally(() => ongoing.delete(done));
  ongoing.add(done);
}

/** LiveKit SIP's own: of ringing, of a call, and how long the other side may take to hang up after a transfer. */
export const RINGING_MS = 3 * 60_000;
export const LONGEST_CALL_MS = 24 * 3_600_000;
const TRANSFERRED_MS = 1000;
/** Within which the room shows that the line is cut, if it ever does. */
const SHOWN_MS = 1000;

/** A call that was answered: audio and digits go both ways until one side ends it. */
export class BridgedCall {
  readonly #leg: CallLeg;
  readonly #media: MediaSession;
  readonly #participant: SipParticipant;

  constructor(of: { leg: CallLeg; media: MediaSession; participant: SipParticipant }) {
    this.#leg = of.leg;
    this.#media = of.media;
    this.#participant = of.participant;
  }

  start(): void {
    const [media, participant] = [this.#media, this.#participant];
    media.next = () => participant.next();
    media.onAudio = (samples) => participant.play(samples);
    media.onDigit = (digit) => void participant.sendDigit(eventNumberOf(digit) ?? 0, digit).catch(() => undefined);
    participant.onDigit = (digit) => void media.sendDigits(digit);
    media.start();
  }

  /** Resolves when the call is over and its participant has left. */
  async run(maxDurationMs: number, closing: Promise<void>): Promise<void> {
    const [leg, participant] = [this.#leg, this.#participant];
    const longest = maxDurationMs > 0 ? Math.min(maxDurationMs, LONGEST_CALL_MS) : LONGEST_CALL_MS;
    // Longer than timers go is as good as for ever.
    const timer = setTimeout(() => void leg.hangUp(), Math.min(longest, 2 ** 31 - 1));
    void Promise.race([participant.closed, closing]).then(() => leg.hangUp());
    await leg.ended;
    clearTimeout(timer);
    this.#media.close();
    // Nobody answers what a server was asked that was killed then; LiveKit SIP does not wait for it either.
    const shown = participant.setAttributes({ "sip.callStatus": "hangup" }).catch(() => undefined);
    await Promise.race([shown, delay(SHOWN_MS, undefined, { ref: false })]);
    await participant.leave(DisconnectReason.CLIENT_INITIATED);
  }
}

/** Lets the server transfer the call (RFC 3515) as long as it lasts. */
export async function offerTransfer(bus: PsrpcBus, callId: string, leg: CallLeg): Promise<void> {
  const stop = await serveTransfer(bus, callId, (request) => transferCall(leg, request));
  void leg.ended.then(stop);
}

async function transferCall(leg: CallLeg, { transferTo, headers, timeoutMs }: TransferParticipant): Promise<void> {
  if (!leg.isEstablished) throw new PsrpcError("failed_precondition", "can't transfer non established call");
  const outcome = new Promise<string>((resolve) => {
    leg.onNotify = (body) => {
      // `SIP/2.0 100 Trying` until it is known.
      if (!body.startsWith("SIP/2.0 1")) resolve(body);
    };
  });
  const extra = Object.entries(headers).map(([name, value]): SipHeader => [name, value]);
  const answer = await leg.ask("REFER", { headers: [["Refer-To", transferTo], ...extra] });
  if (answer.status >= 300) throw statusError("call transfer failed", answer.status, answer.reason);
  const late = new Promise<null>((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs || RINGING_MS);
    void outcome.then(() => clearTimeout(timer));
  });
  const body = await Promise.race([outcome, late, leg.ended.then(() => "SIP/2.0 200 OK")]);
  if (body === null) throw new PsrpcError("canceled", "refer canceled");
  const [, status = "500", ...reason] = (body.split("\r\n")[0] ?? "").split(" ");
  if (Number(status) !== 200) throw statusError("call transfer failed", Number(status), reason.join(" "));
  const timer = setTimeout(() => void leg.hangUp(), TRANSFERRED_MS);
  void leg.ended.then(() => clearTimeout(timer));
}
