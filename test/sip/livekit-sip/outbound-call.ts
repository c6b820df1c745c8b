import { MediaSession } from "../media/media-session.js";
import type { CallLeg } from "../signalling/call-leg.js";
import { headerOf, type SipHeader, type SipResponse } from "../signalling/message.js";
import { BridgedCall, keepOpen, offerTransfer, RINGING_MS, type StandInContext } from "./call.js";
import type { CreateParticipant } from "./internal-calls.js";
import { type InviteFailure, noAnswer, noResponse, refusal } from "./invite-failure.js";
import { SipParticipant } from "./sip-participant.js";

/** A call that the server asked for: its participant is in the room already, and dials. */
export class OutboundCall {
  readonly #context: StandInContext;
  readonly #request: CreateParticipant;
  readonly #participant: SipParticipant;
  readonly #leg: CallLeg;
  readonly #media: MediaSession;

  private constructor(
    context: StandInContext,
    request: CreateParticipant,
    of: { participant: SipParticipant; leg: CallLeg; media: MediaSession },
  ) {
    this.#context = context;
    this.#request = request;
    this.#participant = of.participant;
    this.#leg = of.leg;
    this.#media = of.media;
  }

  /** Joins the room, with a track, before anything is dialed. */
  static async join(context: StandInContext, request: CreateParticipant): Promise<OutboundCall> {
    const attributes = { ...request.attributes, "sip.callStatus": "dialing" };
    const participant = await SipParticipant.join(context.liveKit, { ...request, attributes });
    await participant.publishTrack();
    const fromHost = request.fromHost || "127.0.0.1";
    const leg = context.legs.create({
      uri: `sip:${request.callTo}@${request.address};transport=udp`,
      from: `"${request.number}" <sip:${request.number}@${fromHost}>`,
      localTag: request.callId,
    });
    const media = await MediaSession.open();
    return new OutboundCall(context, request, { participant, leg, media });
  }

  get participantId(): string {
    return this.#participant.id;
  }

  /** Rejects with PsrpcError where it is not answered; the participant has left then. */
  async dial(): Promise<void> {
    const failure = await this.#invite();
    if (failure !== null) {
      this.#media.close();
      await this.#participant.leave(failure.reason);
      throw failure.error;
    }
    await offerTransfer(this.#context.bus, this.#request.callId, this.#leg);
    const bridged = new BridgedCall({ leg: this.#leg, media: this.#media, participant: this.#participant });
    bridged.start();
    this.#participant.subscribe();
    if (this.#request.digits !== "") {
      await this.#participant.setAttributes({ "sip.callStatus": "automation" });
      await this.#media.sendDigits(this.#request.digits);
    }
    await this.#participant.setAttributes({ "sip.callStatus": "active" });
    keepOpen(this.#context, bridged.run(this.#request.maxDurationMs, this.#context.closing));
  }

  /** Null when it was answered. */
  async #invite(): Promise<InviteFailure | null> {
    const { username, password, headers, ringingTimeoutMs } = this.#request;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), ringingTimeoutMs || RINGING_MS);
    void Promise.race([this.#participant.closed, this.#context.closing]).then(() => giveUp.abort());
    const gaveUp = new Promise<null>((resolve) => giveUp.signal.addEventListener("abort", () => resolve(null)));
    let isRinging = false;
    const dialing = this.#leg.dial({
      sdp: this.#media.offer(),
      credentials: username === "" || password === "" ? null : { username, password },
      headers: Object.entries(headers).map(([name, value]): SipHeader => [name, value]),
      signal: giveUp.signal,
      onProvisional: ({ status }) => {
        if (isRinging || status < 180) return;
        isRinging = true;
        void this.#participant.setAttributes({ "sip.callStatus": "ringing" }).catch(() => undefined);
      },
    });
    const response = await Promise.race([dialing, gaveUp]);
    clearTimeout(timer);
    if (response === null) return noAnswer();
    if (response.status >= 300) return failureOf(response);
    if (!this.#media.accept(response.body)) {
      await this.#leg.hangUp();
      return refusal(488, "Not Acceptable Here");
    }
    await this.#participant.setAttributes(this.#answerAttributes(response));
    return null;
  }

  #answerAttributes(response: SipResponse): Record<string, string> {
    const mapped = Object.entries(this.#request.headersToAttributes).map(([header, attribute]) => [
      attribute,
      headerOf(response, header),
    ]);
    const named = Object.fromEntries(mapped.filter(([, value]) => value !== ""));
    return { ...named, "sip.callIDFull": this.#leg.callId, "sip.callTag": this.#leg.remoteTag };
  }
}

/** A 408 without a tag is our own: nobody answered at all. */
function failureOf(response: SipResponse): InviteFailure {
  const isOwn = response.status === 408 && !headerOf(response, "to").includes(";tag=");
  return isOwn ? noResponse() : refusal(response.status, response.reason);
}
