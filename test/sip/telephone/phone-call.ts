import { MediaSession, PACKET_SAMPLES } from "../media/media-session.js";
import type { CallLeg, LegEnd } from "../signalling/call-leg.js";
import { addressOf, headerOf, type SipHeader, type SipRequest, uriOf } from "../signalling/message.js";

/** 20 ms that came, and when. */
export interface ReceivedPacket {
  atMs: number;
  samples: Int16Array;
}

/** One call at a telephone: what it says, what it received, and how it went. */
export class PhoneCall {
  /** Who calls, and which number was dialled. */
  readonly from: string;
  readonly to: string;
  readonly received: ReceivedPacket[] = [];
  /** That the other side pressed, in order. */
  digits = "";
  /** Where the other side asked this to be transferred to, as it said it. */
  transfers: string[] = [];
  /** What becomes of a transfer: a status and its words. */
  transferOutcome = "200 OK";
  readonly ended: Promise<LegEnd>;
  onAudio: (samples: Int16Array) => void = () => undefined;

  readonly #leg: CallLeg;
  readonly #media: MediaSession;
  readonly #invite: SipRequest | null;
  #isOver = false;
  #playing: { samples: Int16Array; at: number; done: () => void }[] = [];

  private constructor(leg: CallLeg, media: MediaSession, of: { from: string; to: string; invite: SipRequest | null }) {
    this.#leg = leg;
    this.#media = media;
    this.#invite = of.invite;
    this.from = of.from;
    this.to = of.to;
    this.ended = leg.ended;
    media.next = () => this.#next();
    media.onAudio = (samples) => {
      this.received.push({ atMs: performance.now(), samples });
      this.onAudio(samples);
    };
    media.onDigit = (digit) => {
      this.digits += digit;
    };
    void leg.ended.then(() => {
      this.#isOver = true;
      media.close();
      for (const { done } of this.#playing.splice(0)) done();
    });
    leg.onRefer = ({ request, respond }) => {
      this.transfers.push(headerOf(request, "refer-to"));
      respond(202, "Accepted");
      void this.#transfer();
    };
  }

  static async incoming(leg: CallLeg, invite: SipRequest): Promise<PhoneCall> {
    const from = addressOf(uriOf(headerOf(invite, "from"))).user;
    return new PhoneCall(leg, await MediaSession.open(), { from, to: addressOf(invite.uri).user, invite });
  }

  static async outgoing(leg: CallLeg, of: { from: string; to: string }): Promise<PhoneCall> {
    return new PhoneCall(leg, await MediaSession.open(), { ...of, invite: null });
  }

  /** A header of the INVITE that came; empty where there is none. */
  header(name: string): string {
    return this.#invite === null ? "" : headerOf(this.#invite, name);
  }

  ring(): void {
    this.#leg.ring();
  }

  /** Picks up; with headers in the answer. */
  answer(headers: SipHeader[] = []): void {
    const answer = this.#invite === null ? null : this.#media.answer(this.#invite.body);
    if (answer === null) return this.#leg.refuse(488, "Not Acceptable Here");
    this.#leg.answer(answer, headers);
    this.#media.start();
  }

  refuse(status: number, reason: string): void {
    this.#leg.refuse(status, reason);
  }

  /** The offer of a call of ours. */
  offer(): string {
    return this.#media.offer();
  }

  /** A call of ours was answered so. */
  begin(answer: string): void {
    if (!this.#media.accept(answer)) throw new Error("the answer has no audio that this telephone knows");
    this.#media.start();
  }

  /** Says samples at 8 kHz after what it says already; resolves when they have left, or the call is over. */
  async play(samples: Int16Array): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((done) => this.#playing.push({ samples, at: 0, done }));
  }

  async sendDigits(digits: string): Promise<void> {
    await this.#media.sendDigits(digits);
  }

  async hangUp(): Promise<void> {
    await this.#leg.hangUp();
  }

  /** All that it received, at 8 kHz. */
  recording(): Int16Array {
    const all = new Int16Array(this.received.reduce((sum, { samples }) => sum + samples.length, 0));
    let at = 0;
    for (const { samples } of this.received) {
      all.set(samples, at);
      at += samples.length;
    }
    return all;
  }

  #next(): Int16Array {
    const packet = new Int16Array(PACKET_SAMPLES);
    const [first] = this.#playing;
    if (first === undefined) return packet;
    packet.set(first.samples.subarray(first.at, first.at + PACKET_SAMPLES));
    first.at += PACKET_SAMPLES;
    if (first.at >= first.samples.length) {
      this.#playing.shift();
      first.done();
    }
    return packet;
  }

  /** RFC 3515: says how it goes, and hangs up here where it went well. */
  async #transfer(): Promise<void> {
    const headers: SipHeader[] = [
      ["Event", "refer"],
      ["Subscription-State", "active"],
      ["Content-Type", "message/sipfrag"],
    ];
    await this.#leg.ask("NOTIFY", { headers, body: "SIP/2.0 100 Trying\r\n" });
    await this.#leg.ask("NOTIFY", { headers, body: `SIP/2.0 ${this.transferOutcome}\r\n` });
    if (this.transferOutcome.startsWith("200")) await this.hangUp();
  }
}
