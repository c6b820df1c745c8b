import { CallLeg } from "./call-leg.js";
import { type IncomingRequest, SipEndpoint } from "./endpoint.js";
import { headerOf } from "./message.js";

/** The calls of one SIP address: gives each request to the call that it is about. */
export class CallLegs {
  readonly endpoint: SipEndpoint;
  readonly #legs = new Map<string, CallLeg>();
  /** A call comes. Whoever takes it makes a leg of it with `accept`, or answers the request. */
  onInvite: (incoming: IncomingRequest) => void = ({ respond }) => respond(404, "Not Found");

  private constructor(endpoint: SipEndpoint) {
    this.endpoint = endpoint;
    endpoint.onRequest = (incoming) => this.#receive(incoming);
  }

  static async open(options: { port?: number; newTag?: () => string } = {}): Promise<CallLegs> {
    return new CallLegs(await SipEndpoint.open(options));
  }

  accept(invite: IncomingRequest): CallLeg {
    return this.#add(CallLeg.incoming(this.endpoint, invite));
  }

  /** A call of ours, not dialed yet. */
  create(of: { uri: string; from: string; localTag?: string }): CallLeg {
    return this.#add(CallLeg.outgoing(this.endpoint, of));
  }

  close(): void {
    this.endpoint.close();
  }

  #add(leg: CallLeg): CallLeg {
    this.#legs.set(leg.callId, leg);
    void leg.ended.then(() => this.#legs.delete(leg.callId));
    return leg;
  }

  #receive(incoming: IncomingRequest): void {
    const { request, respond } = incoming;
    const leg = this.#legs.get(headerOf(request, "call-id"));
    if (leg !== undefined) leg.receive(incoming);
    else if (request.method === "INVITE") this.onInvite(incoming);
    else if (request.method === "OPTIONS") respond(200, "OK");
    else if (request.method !== "ACK") respond(481, "Call Does Not Exist");
  }
}
