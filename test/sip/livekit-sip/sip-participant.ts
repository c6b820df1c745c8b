import {
  AudioFrame,
  AudioSource,
  AudioStream,
  type DisconnectReason,
  LocalAudioTrack,
  ParticipantKind,
  type RemoteParticipant,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { AccessToken } from "livekit-server-sdk";
import { openQuietly } from "#common/livekit/library-logs";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { deferred } from "#common/deferred";
import { TELEPHONE_RATE } from "../media/media-session.js";
import { AudioMixer } from "./audio-mixer.js";
import { leaveWithReason } from "./leave-with-reason.js";

/** Who a call is in its room. */
export interface SipIdentity {
  room: string;
  identity: string;
  name: string;
  metadata: string;
  attributes: Record<string, string>;
}

/** Attributes that LiveKit SIP puts into its token; it sets all others when it has joined. */
const tokenAttributes = ["sip.callID", "sip.trunkID", "sip.ruleID", "sip.trunkPhoneNumber", "sip.phoneNumber"];

/** Milliseconds of audio that wait to leave into the room. */
const QUEUE_MS = 1000;
const FRAME_MS = 20;

/** The library waits for ever where the room is deleted while it joins. */
const JOIN_MS = 10_000;

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const late = deferred<void>();
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${limitMs} ms`)), limitMs);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** A call's place in a room, as LiveKit SIP takes it: of kind SIP, deaf until `subscribe`. */
export class SipParticipant {
  readonly #room = new Room();
  readonly #source = openQuietly(() => new AudioSource(TELEPHONE_RATE, 1, QUEUE_MS));
  readonly #mixer = new AudioMixer();
  readonly #closed = deferred<DisconnectReason>();
  readonly #subscribed = deferred<void>();
  #isSubscribing = false;
  #track: LocalAudioTrack | null = null;
  #playing: Promise<void> = Promise.resolve();
  /** The room, or whoever removes this from it, ends the call. */
  readonly closed: Promise<DisconnectReason> = this.#closed.promise;
  /** There is somebody to talk to. */
  readonly subscribed: Promise<void> = this.#subscribed.promise;
  /** Somebody in the room presses a digit. */
  onDigit: (digit: string) => void = () => undefined;

  static async join(access: LiveKitAccess, who: SipIdentity): Promise<SipParticipant> {
    const { room, identity, name, metadata, attributes } = who;
    const known = Object.entries(attributes).filter(([key]) => tokenAttributes.includes(key));
    const token = new AccessToken(access.apiKey, access.apiSecret, {
      ...{ identity, name, metadata, attributes: Object.fromEntries(known) },
    });
    token.kind = "sip";
    const may = { canSubscribe: true, canPublish: true, canPublishData: true, canUpdateOwnMetadata: true };
    token.addGrant({ roomJoin: true, room, ...may });
    const participant = new SipParticipant();
    participant.#follow();
    const options = { autoSubscribe: false, dynacast: false };
    await within(JOIN_MS, participant.#room.connect(access.url, await token.toJwt(), options));
    await participant.setAttributes(attributes);
    return participant;
  }

  get id(): string {
    return this.#room.localParticipant?.sid ?? "";
  }

  /** Resolves when the room has them. The library's own promise misses answers that are fast, for five seconds each. */
  async setAttributes(attributes: Record<string, string>): Promise<void> {
    const { localParticipant: own } = this.#room;
    if (own === undefined || !this.#room.isConnected) return;
    const isSet = (): boolean => Object.entries(attributes).every(([name, value]) => own.attributes[name] === value);
    const set = deferred<void>();
    const check = (): void => {
      if (isSet()) set.resolve();
    };
    this.#room.on(RoomEvent.ParticipantAttributesChanged, check);
    const asked = own.setAttributes(attributes);
    await this.#unlessClosed(Promise.race([set.promise, asked])).finally(() =>
      this.#room.off(RoomEvent.ParticipantAttributesChanged, check),
    );
  }

  async publishTrack(): Promise<void> {
    const { localParticipant } = this.#room;
    const track = LocalAudioTrack.createAudioTrack(localParticipant?.identity ?? "", this.#source);
    this.#track = track;
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_UNKNOWN });
    await this.#unlessClosed(localParticipant?.publishTrack(track, options));
  }

  /** Asks for the audio of all that are there, and that come. */
  subscribe(): void {
    this.#isSubscribing = true;
    for (const participant of this.#room.remoteParticipants.values()) {
      this.#meet(participant);
      for (const publication of participant.trackPublications.values()) this.#subscribeTo(publication);
    }
  }

  /** The next 20 ms of what is said in the room. */
  next(): Int16Array {
    return this.#mixer.next();
  }

  /** Says samples into the room, after those before. */
  play(samples: Int16Array): void {
    const frame = new AudioFrame(samples, TELEPHONE_RATE, 1, samples.length);
    // It refuses frames when the room is gone, which `closed` says.
    this.#playing = this.#playing.then(() => this.#source.captureFrame(frame)).catch(() => undefined);
  }

  async sendDigit(code: number, digit: string): Promise<void> {
    if (this.#room.isConnected) await this.#unlessClosed(this.#room.localParticipant?.publishDtmf(code, digit));
  }

  async leave(reason: DisconnectReason): Promise<void> {
    await leaveWithReason(this.#room, reason);
    // The native track holds the source, whose thread goes on otherwise.
    await this.#track?.close(false);
    if (!this.#source.closed) await this.#source.close();
  }

  /** The library waits for ever for answers of a room that is gone. */
  async #unlessClosed(asked: Promise<unknown> | undefined): Promise<void> {
    await Promise.race([asked, this.closed]);
  }

  #follow(): void {
    const room = this.#room;
    room.on(RoomEvent.ParticipantConnected, (participant) => {
      if (this.#isSubscribing) this.#meet(participant);
    });
    room.on(RoomEvent.TrackPublished, (publication) => {
      if (this.#isSubscribing) this.#subscribeTo(publication);
    });
    // A server that was killed knows nothing of what was asked of it, and tracks that came while the library was on its
    // way back were asked for in vain.
    room.on(RoomEvent.Reconnected, () => {
      if (this.#isSubscribing) this.subscribe();
    });
    room.on(RoomEvent.TrackSubscribed, (track, publication) => {
      if (track.kind !== TrackKind.KIND_AUDIO) return;
      const stream = new AudioStream(track, { sampleRate: TELEPHONE_RATE, numChannels: 1, frameSizeMs: FRAME_MS });
      void this.#mix(stream, publication.sid ?? "");
    });
    room.on(RoomEvent.DtmfReceived, (_code, digit) => this.onDigit(digit));
    room.on(RoomEvent.Disconnected, (reason) => this.#closed.resolve(reason));
  }

  /** Two calls in one room would otherwise wait for each other's track. */
  #meet(participant: RemoteParticipant): void {
    if (participant.kind === ParticipantKind.SIP) this.#subscribed.resolve();
  }

  #subscribeTo(publication: RemoteTrackPublication): void {
    if (publication.kind !== TrackKind.KIND_AUDIO) return;
    publication.setSubscribed(true);
    this.#subscribed.resolve();
  }

  async #mix(stream: AudioStream, trackId: string): Promise<void> {
    for await (const { data } of stream) this.#mixer.add(trackId, data);
    this.#mixer.remove(trackId);
  }
}
