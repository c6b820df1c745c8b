import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { randomInt } from "node:crypto";
import { decodeG711, encodeG711, type G711, payloadTypes } from "./g711.js";
import { parseRtp, rtpBytes } from "./rtp-packet.js";
import { type AudioDescription, describeAudio, offeredEventType, readAudio } from "./sdp.js";
import { eventNumberOf, eventPayload, parseEvent } from "./telephone-event.js";

/** Of a telephone. */
export const TELEPHONE_RATE = 8000;

/** A packet has 20 ms. */
export const PACKET_SAMPLES = 160;
const PACKET_MS = 20;

const LOOPBACK = "127.0.0.1";

/** A digit is held so long, and so much silence stands after it. */
const DIGIT_PACKETS = 5;
const DIGIT_PAUSE_PACKETS = 3;
const END_REPETITIONS = 3;

/** What a packet that leaves has: audio, or a telephone event that goes on or ends. */
type Turn = { kind: "event"; digit: string; packet: number } | { kind: "pause" };

/**
 * The audio of one call over RTP: 20 ms every 20 ms from `next`, and to `onAudio` what comes. Digits take the place of
 * audio while they are sent.
 */
export class MediaSession {
  readonly #socket: Socket;
  readonly #source = randomInt(2 ** 32);
  readonly #turns: Turn[] = [];
  #peer: (AudioDescription & { codec: G711 }) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sequence = randomInt(2 ** 15);
  #timestamp = randomInt(2 ** 31);
  #eventStart = 0;
  #lastEventAt: number | null = null;
  #sent = 0;
  #onDigitsSent: (() => void)[] = [];
  /** The next 20 ms to send; null sends nothing. */
  next: () => Int16Array | null = () => null;
  onAudio: (samples: Int16Array) => void = () => undefined;
  onDigit: (digit: string) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (bytes) => this.#receive(bytes));
    socket.on("error", () => undefined);
  }

  static async open(): Promise<MediaSession> {
    const socket = createSocket("udp4");
    socket.bind(0, LOOPBACK);
    await once(socket, "listening");
    return new MediaSession(socket);
  }

  offer(codecs: G711[] = ["PCMU", "PCMA"]): string {
    return describeAudio({ ...this.#place, codecs, eventType: offeredEventType });
  }

  /** The answer to an offer in the first codec of it that is in the list; null where there is none. */
  answer(offer: string, codecs: G711[] = ["PCMU", "PCMA"]): string | null {
    const peer = readAudio(offer);
    const codec = peer?.codecs.find((offered) => codecs.includes(offered));
    if (peer === null || codec === undefined) return null;
    this.#peer = { ...peer, codec };
    return describeAudio({ ...this.#place, codecs: [codec], eventType: peer.eventType });
  }

  /** Takes the answer to an offer of ours; false where nothing in it can be heard. */
  accept(answer: string): boolean {
    const peer = readAudio(answer);
    const [codec] = peer?.codecs ?? [];
    if (peer === null || codec === undefined) return false;
    this.#peer = { ...peer, codec };
    return true;
  }

  /** Begins to send. */
  start(): void {
    const startMs = performance.now();
    // The pace is that of the clock and not that of timers, which come late.
    const tick = (): void => {
      const due = Math.floor((performance.now() - startMs) / PACKET_MS) + 1;
      while (this.#sent < due) this.#sendNext();
      this.#timer = setTimeout(tick, startMs + this.#sent * PACKET_MS - performance.now());
    };
    tick();
  }

  /** Sends digits of RFC 4733, one after the other; `w` is half a second of silence. Resolves when they have left. */
  async sendDigits(digits: string): Promise<void> {
    for (const digit of digits) {
      if (digit === "w") this.#pause(500 / PACKET_MS);
      if (eventNumberOf(digit) === null) continue;
      for (let packet = 0; packet < DIGIT_PACKETS; packet++) this.#turns.push({ kind: "event", digit, packet });
      this.#pause(DIGIT_PAUSE_PACKETS);
    }
    if (this.#turns.length > 0) await new Promise<void>((resolve) => this.#onDigitsSent.push(resolve));
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const sent of this.#onDigitsSent.splice(0)) sent();
    this.#socket.close();
  }

  get #place(): { host: string; port: number } {
    return { host: LOOPBACK, port: this.#socket.address().port };
  }

  #pause(packets: number): void {
    for (let packet = 0; packet < packets; packet++) this.#turns.push({ kind: "pause" });
  }

  #sendNext(): void {
    this.#sent++;
    const turn = this.#turns.shift();
    // Audio is taken in its pace also where a digit is sent in its place.
    const samples = this.next();
    if (turn?.kind === "event") this.#sendEvent(turn.digit, turn.packet);
    else if (samples !== null && this.#peer !== null) {
      const { codec } = this.#peer;
      this.#send(payloadTypes[codec], this.#timestamp, false, encodeG711(codec, samples));
    }
    this.#timestamp += PACKET_SAMPLES;
    if (this.#turns.length === 0) for (const sent of this.#onDigitsSent.splice(0)) sent();
  }

  #sendEvent(digit: string, packet: number): void {
    if (packet === 0) this.#eventStart = this.#timestamp;
    const eventType = this.#peer?.eventType ?? null;
    if (eventType === null) return;
    const isEnd = packet === DIGIT_PACKETS - 1;
    const payload = eventPayload({ digit, isEnd, durationSamples: (packet + 1) * PACKET_SAMPLES });
    for (let times = 0; times < (isEnd ? END_REPETITIONS : 1); times++)
      this.#send(eventType, this.#eventStart, packet === 0, payload);
  }

  #send(payloadType: number, timestamp: number, marker: boolean, payload: Uint8Array): void {
    if (this.#peer === null) return;
    const packet = { payloadType, marker, sequence: this.#sequence++, timestamp, source: this.#source, payload };
    this.#socket.send(rtpBytes(packet), this.#peer.port, this.#peer.host);
  }

  #receive(bytes: Buffer): void {
    const packet = parseRtp(bytes);
    if (packet === null || this.#peer === null) return;
    if (packet.payloadType === this.#peer.eventType) {
      const event = parseEvent(packet.payload);
      // All packets of one digit have the time of its beginning.
      if (event !== null && packet.timestamp !== this.#lastEventAt) this.onDigit(event.digit);
      this.#lastEventAt = packet.timestamp;
      return;
    }
    const codec = (Object.keys(payloadTypes) as G711[]).find((name) => payloadTypes[name] === packet.payloadType);
    if (codec !== undefined) this.onAudio(decodeG711(codec, packet.payload));
  }
}
