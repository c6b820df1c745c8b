import { newIdentifier } from "#common/identifier";
import { type Deferred, deferred } from "#common/deferred";
import { cancelOf } from "./derived-messages.js";
import { answerDigest, type Credentials } from "./digest.js";
import type { IncomingRequest, Peer, SipEndpoint } from "./endpoint.js";
import {
  addressOf,
  headerOf,
  parameterOf,
  type SipHeader,
  type SipRequest,
  type SipResponse,
  uriOf,
} from "./message.js";

/** How a call ended: we hung up, the other side did, it took its call back, or the call was refused. */
export type LegEnd = "local" | "remote" | "cancelled" | "refused";

/** What an INVITE of ours says. */
export interface Invitation {
  sdp: string;
  /** For those that ask; null has none. */
  credentials: Credentials | null;
  headers: SipHeader[];
  /** Takes the call back. */
  signal: AbortSignal;
  onProvisional: (response: SipResponse) => void;
}

type Reply = { headers?: SipHeader[]; body?: string };

const SDP_TYPE: SipHeader = ["Content-Type", "application/sdp"];

/** One call between two sides, of either direction: RFC 3261's dialog with its INVITE. */
export class CallLeg {
  readonly callId: string;
  readonly localTag: string;
  readonly ended: Promise<LegEnd>;
  /** The other side has acknowledged our answer. */
  readonly acknowledged: Promise<void>;
  /** The other side asks for a transfer: whoever sets this answers it. */
  onRefer: (incoming: IncomingRequest) => void = ({ respond }) => respond(405, "Method Not Allowed");
  /** What became of a transfer of ours. */
  onNotify: (body: string) => void = () => undefined;

  readonly #endpoint: SipEndpoint;
  readonly #localAddress: string;
  readonly #end: Deferred<LegEnd> = deferred();
  readonly #acknowledged: Deferred<void> = deferred();
  #invite: IncomingRequest | null;
  #remoteAddress: string;
  #remoteTarget: string;
  #peer: Peer;
  #sequence = 0;
  #localSdp = "";
  #isEstablished = false;
  #isEnded = false;

  private constructor(
    endpoint: SipEndpoint,
    of: {
      callId: string;
      localTag: string;
      localAddress: string;
      remoteAddress: string;
      remoteTarget: string;
      peer: Peer;
      invite: IncomingRequest | null;
    },
  ) {
    this.#endpoint = endpoint;
    this.callId = of.callId;
    this.localTag = of.localTag;
    this.#localAddress = of.localAddress;
    this.#remoteAddress = of.remoteAddress;
    this.#remoteTarget = of.remoteTarget;
    this.#peer = of.peer;
    this.#invite = of.invite;
    this.ended = this.#end.promise;
    this.acknowledged = this.#acknowledged.promise;
  }

  /** A call of ours from one address to another: `sip:+49@host:port`. */
  static outgoing(
    endpoint: SipEndpoint,
    { uri, from, localTag = newIdentifier() }: { uri: string; from: string; localTag?: string },
  ): CallLeg {
    const { host, port } = addressOf(uri);
    return new CallLeg(endpoint, {
      ...{ callId: newIdentifier(), localTag, localAddress: `${from};tag=${localTag}`, remoteAddress: `<${uri}>` },
      ...{ remoteTarget: uri, peer: { host, port }, invite: null },
    });
  }

  /** A call that comes. */
  static incoming(endpoint: SipEndpoint, invite: IncomingRequest): CallLeg {
    const { request, source, localTag } = invite;
    return new CallLeg(endpoint, {
      ...{ callId: headerOf(request, "call-id"), localTag, invite, peer: source },
      localAddress: `${headerOf(request, "to")};tag=${localTag}`,
      remoteAddress: headerOf(request, "from"),
      remoteTarget: uriOf(headerOf(request, "contact")) || uriOf(headerOf(request, "from")),
    });
  }

  get isEstablished(): boolean {
    return this.#isEstablished && !this.#isEnded;
  }

  get remoteTag(): string {
    return parameterOf(this.#remoteAddress, "tag") ?? "";
  }

  /** Calls, answers challenges, and gives the final response. */
  async dial(invitation: Invitation): Promise<SipResponse> {
    this.#localSdp = invitation.sdp;
    let authorization: SipHeader[] = [];
    for (;;) {
      const response = await this.#invitePeer(invitation, authorization);
      const { status } = response;
      if ((status === 401 || status === 407) && invitation.credentials !== null && authorization.length === 0) {
        const name = status === 401 ? "Authorization" : "Proxy-Authorization";
        const challenge = headerOf(response, status === 401 ? "www-authenticate" : "proxy-authenticate");
        const asked = { method: "INVITE", uri: this.#remoteTarget };
        authorization = [[name, answerDigest(challenge, asked, invitation.credentials)]];
        continue;
      }
      if (status >= 300) this.#finish("refused");
      else await this.#establish(response, invitation.signal);
      return response;
    }
  }

  async #invitePeer({ sdp, headers, signal, onProvisional }: Invitation, more: SipHeader[]): Promise<SipResponse> {
    const request = this.#request("INVITE", { headers: [SDP_TYPE, ...headers, ...more], body: sdp });
    const outgoing = this.#endpoint.send(request, this.#peer, onProvisional);
    const cancel = (): void => {
      // RFC 3261, section 9.1: not before the other side said anything.
      void outgoing.progress.then(() => this.#endpoint.send(cancelOf(outgoing.request), this.#peer));
    };
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    return await outgoing.response.finally(() => signal.removeEventListener("abort", cancel));
  }

  async #establish(answer: SipResponse, signal: AbortSignal): Promise<void> {
    this.#remoteAddress = headerOf(answer, "to");
    this.#remoteTarget = uriOf(headerOf(answer, "contact")) || this.#remoteTarget;
    const { host, port } = addressOf(this.#remoteTarget);
    this.#peer = { host, port };
    this.#isEstablished = true;
    const [number] = headerOf(answer, "cseq").split(" ");
    this.#endpoint.send(this.#request("ACK", { sequence: Number(number) }), this.#peer);
    // It answered while we took the call back.
    if (signal.aborted) await this.hangUp();
  }

  ring(): void {
    this.#invite?.respond(180, "Ringing", { headers: [this.#contact] });
  }

  answer(sdp: string, headers: SipHeader[] = []): void {
    this.#localSdp = sdp;
    this.#isEstablished = true;
    this.#invite?.respond(200, "OK", { headers: [this.#contact, SDP_TYPE, ...headers], body: sdp });
  }

  /** Nothing happens where the call was answered or is over. */
  refuse(status: number, reason: string): void {
    if (this.#isEstablished || this.#isEnded) return;
    this.#invite?.respond(status, reason);
    this.#finish("refused");
  }

  /** Leaves the INVITE without an answer. */
  abandon(): void {
    this.#invite = null;
    this.#finish("refused");
  }

  /** Nothing happens where the call was not answered or is over. */
  async hangUp(headers: SipHeader[] = []): Promise<void> {
    if (!this.isEstablished) return;
    this.#finish("local");
    await this.ask("BYE", { headers });
  }

  /** A request within the call. */
  async ask(method: string, { headers = [], body = "" }: Reply = {}): Promise<SipResponse> {
    return await this.#endpoint.send(this.#request(method, { headers, body }), this.#peer).response;
  }

  /** Takes a request that came within the call. */
  receive(incoming: IncomingRequest): void {
    const { request, respond } = incoming;
    if (request.method === "ACK") this.#acknowledged.resolve();
    else if (request.method === "BYE") {
      respond(200, "OK");
      this.#finish("remote");
    } else if (request.method === "CANCEL") {
      respond(200, "OK");
      if (!this.#isEstablished && !this.#isEnded) this.#invite?.respond(487, "Request Terminated");
      if (!this.#isEstablished) this.#finish("cancelled");
    } else if (request.method === "REFER") this.onRefer(incoming);
    else if (request.method === "NOTIFY") {
      respond(200, "OK");
      this.onNotify(request.body);
    } else if (request.method === "INVITE")
      respond(200, "OK", { headers: [this.#contact, SDP_TYPE], body: this.#localSdp });
    else if (request.method === "OPTIONS") respond(200, "OK");
    else respond(405, "Method Not Allowed");
  }

  get #contact(): SipHeader {
    return ["Contact", `<sip:${this.#endpoint.address};transport=udp>`];
  }

  #finish(how: LegEnd): void {
    this.#isEnded = true;
    this.#end.resolve(how);
  }

  #request(method: string, { headers = [], body = "", sequence }: Reply & { sequence?: number } = {}): SipRequest {
    if (sequence === undefined) this.#sequence++;
    const own: SipHeader[] = [
      ["Max-Forwards", "70"],
      ["From", this.#localAddress],
      ["To", this.#remoteAddress],
      ["Call-ID", this.callId],
      ["CSeq", `${sequence ?? this.#sequence} ${method}`],
      this.#contact,
    ];
    return { kind: "request", method, uri: this.#remoteTarget, headers: [...own, ...headers], body };
  }
}
