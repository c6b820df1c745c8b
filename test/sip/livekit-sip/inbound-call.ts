import { DisconnectReason } from "@livekit/rtc-node";
import { newIdentifier } from "#common/identifier";
import { MediaSession } from "../media/media-session.js";
import { isRightDigest } from "../signalling/digest.js";
import type { CallLeg } from "../signalling/call-leg.js";
import type { IncomingRequest } from "../signalling/endpoint.js";
import { addressOf, headerOf, type SipRequest, uriOf } from "../signalling/message.js";
import { BridgedCall, keepOpen, offerTransfer, RINGING_MS, type StandInContext } from "./call.js";
import {
  askDispatch,
  askTrunkAuthentication,
  type Dispatch,
  type IncomingCall,
  type TrunkAuthentication,
} from "./internal-calls.js";
import { SipParticipant } from "./sip-participant.js";

const REALM = "LiveKit";

/** Takes calls that come: asks the server whose they are, and rings until there is somebody to talk to. */
export class InboundCalls {
  readonly #context: StandInContext;
  /** Of the challenges that were sent, by the INVITE's Call-ID. */
  readonly #nonces = new Map<string, string>();
  /** Calls that ring for ever. */
  abandoned = 0;

  constructor(context: StandInContext) {
    this.#context = context;
  }

  take(invite: IncomingRequest): void {
    keepOpen(this.#context, this.#take(invite));
  }

  async #take(invite: IncomingRequest): Promise<void> {
    const { respond, localTag } = invite;
    respond(100, "Processing");
    const call = describeCall(invite, localTag);
    const { bus } = this.#context;
    let trunk: TrunkAuthentication;
    try {
      trunk = await askTrunkAuthentication(bus, call);
    } catch {
      return respond(503, "Try again later");
    }
    if (trunk.isDropped) return;
    if (trunk.username !== "" && trunk.password !== "" && !this.#authenticate(invite, trunk)) return;
    const leg = this.#context.legs.accept(invite);
    leg.ring();
    const dispatch = await askDispatch(bus, call, trunk.trunkId).catch(() => null);
    if (dispatch === null) return leg.refuse(503, "Try again later");
    if (dispatch.result === "reject") return leg.refuse(404, "Does not match Trunks or Dispatch Rules");
    // LiveKit SIP asks for a PIN aloud, which nobody here can hear.
    if (dispatch.result === "pin") return leg.refuse(501, "Not Implemented");
    // As LiveKit SIP does where no rule fits: it says nothing more, and the caller goes on hearing it ring.
    if (dispatch.result === "drop") {
      this.abandoned++;
      return leg.abandon();
    }
    await this.#connect({ leg, call, dispatch, offer: invite.request });
  }

  /** Asks who calls, or looks at the answer; false where it has refused. */
  #authenticate({ request, respond }: IncomingRequest, { username, password, realm }: TrunkAuthentication): boolean {
    const callId = headerOf(request, "call-id");
    const answer = headerOf(request, "proxy-authorization");
    const asked = { realm: realm || REALM, method: request.method };
    if (answer === "") {
      const nonce = newIdentifier();
      this.#nonces.set(callId, nonce);
      const challenge = `Digest realm="${asked.realm}", nonce="${nonce}", algorithm=MD5`;
      respond(407, "Unauthorized", { headers: [["Proxy-Authenticate", challenge]] });
      return false;
    }
    const nonce = this.#nonces.get(callId) ?? "";
    this.#nonces.delete(callId);
    if (isRightDigest(answer, { ...asked, nonce }, { username, password })) return true;
    respond(401, "Unauthorized");
    return false;
  }

  async #connect(of: { leg: CallLeg; call: IncomingCall; dispatch: Dispatch; offer: SipRequest }): Promise<void> {
    const { leg, call, dispatch, offer } = of;
    const media = await MediaSession.open();
    const answer = media.answer(offer.body);
    if (answer === null) {
      media.close();
      return leg.refuse(400, "Bad Request");
    }
    const attributes = {
      ...dispatch.attributes,
      ...{ "sip.callStatus": "ringing", "sip.callIDFull": call.sipCallId, "sip.callTag": leg.remoteTag },
    };
    const joining = SipParticipant.join(this.#context.liveKit, { ...dispatch, attributes });
    const participant = await joining.catch(() => null);
    if (participant === null) {
      media.close();
      return leg.refuse(486, "Rejected");
    }
    await offerTransfer(this.#context.bus, call.callId, leg);
    await participant.publishTrack();
    participant.subscribe();
    const over = Promise.race([leg.ended, participant.closed, this.#context.closing]);
    if (!(await isWanted(participant.subscribed, over, dispatch.ringingTimeoutMs || RINGING_MS))) {
      media.close();
      leg.refuse(486, "Rejected");
      await participant.setAttributes({ "sip.callStatus": "hangup" }).catch(() => undefined);
      return await participant.leave(DisconnectReason.UNKNOWN_REASON);
    }
    const bridged = new BridgedCall({ leg, media, participant });
    leg.answer(answer);
    bridged.start();
    await leg.acknowledged;
    await participant.setAttributes({ "sip.callStatus": "active" });
    await bridged.run(dispatch.maxDurationMs, this.#context.closing);
  }
}

/** Waits for somebody in the room; false where the caller, the room or the time was over before. */
async function isWanted(subscribed: Promise<void>, over: Promise<unknown>, ringingMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ringingMs);
  });
  const wanted = await Promise.race([subscribed.then(() => true), over.then(() => false), late]);
  clearTimeout(timer);
  return wanted;
}

function describeCall({ request, source }: IncomingRequest, callId: string): IncomingCall {
  const from = addressOf(uriOf(headerOf(request, "from")));
  const to = addressOf(uriOf(headerOf(request, "to")));
  return { callId, sipCallId: headerOf(request, "call-id"), sourceIp: source.host, from, to };
}
