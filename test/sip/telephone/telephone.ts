import { newIdentifier } from "#common/identifier";
import { CallLegs } from "../signalling/call-legs.js";
import { type Credentials, isRightDigest } from "../signalling/digest.js";
import type { IncomingRequest } from "../signalling/endpoint.js";
import { headerOf } from "../signalling/message.js";
import { answers, type Behaviour } from "./behaviour.js";
import { PhoneCall } from "./phone-call.js";

const REALM = "carrier";

/** A call of ours that was not answered. */
export class CallRefused extends Error {
  override name = "CallRefused";
  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(`${status} ${reason}`);
  }
}

/** Whom a telephone calls, as whom, and with what it takes the call back. */
export interface Dialing {
  /** Where SIP is spoken: `host:port`. */
  address: string;
  to: string;
  from: string;
  credentials?: Credentials;
  signal?: AbortSignal;
  /** Statuses on the way to an answer. */
  onProvisional?: (status: number) => void;
}

/**
 * A telephone, or a carrier with all telephones behind it: takes calls of any number over UDP on loopback and does with
 * each what its script says.
 */
export class Telephone {
  /** In the order in which they came. */
  readonly calls: PhoneCall[] = [];
  /** By the dialled number. */
  readonly #scripts = new Map<string, Behaviour>();
  readonly #legs: CallLegs;
  readonly #nonce = newIdentifier();
  /** For numbers without a script of their own. */
  behaviour: Behaviour = answers();
  /** What callers must authenticate with; null takes all. */
  credentials: Credentials | null = null;
  /** INVITEs that had no or a wrong answer to the challenge. */
  challenges = 0;

  private constructor(legs: CallLegs) {
    this.#legs = legs;
    legs.onInvite = (invite) => void this.#take(invite);
  }

  static async open(): Promise<Telephone> {
    return new Telephone(await CallLegs.open());
  }

  /** `127.0.0.1:port`. */
  get address(): string {
    return this.#legs.endpoint.address;
  }

  script(number: string, behaviour: Behaviour): void {
    this.#scripts.set(number, behaviour);
  }

  /** Calls; rejects with CallRefused where nobody answers. */
  async call(dialing: Dialing): Promise<PhoneCall> {
    const { address, to, from, credentials = null, signal = new AbortController().signal } = dialing;
    const leg = this.#legs.create({ uri: `sip:${to}@${address}`, from: `<sip:${from}@${this.address}>` });
    const call = await PhoneCall.outgoing(leg, { from, to });
    const onProvisional = ({ status }: { status: number }): void => dialing.onProvisional?.(status);
    const { status, reason, body } = await leg.dial({
      ...{ sdp: call.offer(), credentials, headers: [], signal, onProvisional },
    });
    if (status >= 300) throw new CallRefused(status, reason);
    call.begin(body);
    return call;
  }

  close(): void {
    this.#legs.close();
  }

  async #take(invite: IncomingRequest): Promise<void> {
    if (!this.#isKnown(invite)) {
      this.challenges++;
      const challenge = `Digest realm="${REALM}", nonce="${this.#nonce}", algorithm=MD5, qop="auth"`;
      return invite.respond(401, "Unauthorized", { headers: [["WWW-Authenticate", challenge]] });
    }
    invite.respond(100, "Trying");
    const call = await PhoneCall.incoming(this.#legs.accept(invite), invite.request);
    this.calls.push(call);
    await (this.#scripts.get(call.to) ?? this.behaviour)(call);
  }

  #isKnown({ request }: IncomingRequest): boolean {
    const answer = headerOf(request, "authorization");
    if (this.credentials === null) return true;
    return isRightDigest(answer, { realm: REALM, nonce: this.#nonce, method: "INVITE" }, this.credentials);
  }
}
