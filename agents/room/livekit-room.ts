import {
  AudioFrame,
  AudioSource,
  AudioStream,
  DisconnectReason,
  LocalAudioTrack,
  type LocalParticipant,
  type LocalTrackPublication,
  ParticipantKind,
  type RemoteParticipant,
  type RemoteTrack,
  Room as RtcRoom,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { transcriptionTopic } from "#protocol/agents/room-topics";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { openQuietly } from "#common/livekit/library-logs";
import type { TextStream } from "./transcript-publisher.js";
import { SOURCE_QUEUE_MS, type VoiceSource } from "./voice-queue.js";

/** Somebody else in the room. */
export interface Participant {
  /** Of one stay. */
  sid: string;
  identity: string;
  attributes: Readonly<Record<string, string>>;
  isAgent: boolean;
}

/**
 * Why somebody left: it said goodbye, it is a phone line that nobody answered or that was refused, or, as far as anybody
 * knows, it lost the network.
 */
export type Departure = "own-wish" | "unavailable" | "rejected" | "other";

/** Why this side is out of the room: another took its place, it was put out, the room ended, or the way broke. */
export type RoomLoss = "replaced" | "removed" | "ended" | "broken";

/** What a room tells. Nothing comes before `join` has resolved, nor after `leave` was called. */
export interface RoomEvents {
  onParticipantJoined(participant: Participant): void;
  /** Its attributes are others now. */
  onParticipantChanged(participant: Participant): void;
  onParticipantLeft(participant: Participant, departure: Departure): void;
  /** A participant of LiveKit SIP pressed a key of its phone. */
  onKey(participant: Participant, key: string): void;
  /** `participant`: null for one that was not told of yet. */
  onData(participant: Participant | null, topic: string, payload: Uint8Array): void;
  /** Some audio of the participant that is listened to, in real time, mono at `RECOGNITION_RATE`. */
  onAudio(samples: Int16Array): void;
  /** The room was out of reach for a moment, and is there again. */
  onReturned(): void;
  onLost(loss: RoomLoss): void;
}

/** A stay in a room of a LiveKit server. It comes back by itself from a short loss of the network. */
export interface RoomConnection {
  participants(): Participant[];
  /** From now on the microphone of this participant is read, and nobody else's; null is nobody's. */
  listenTo(sid: string | null): void;
  /** Resolves once the server has told this side of them. */
  setAttributes(attributes: Record<string, string>): Promise<void>;
  sendData(topic: string, payload: Uint8Array, toIdentity: string): Promise<void>;
  openTranscript(options: {
    senderIdentity: string;
    toIdentity: string;
    attributes: Record<string, string>;
  }): Promise<TextStream>;
  /** Of the published voice. */
  voiceTrackId(): string | null;
  /** Of the microphone that is listened to. */
  microphoneTrackId(): string | null;
  /** How packets reach the server now; null while no way is found. */
  mediaPath(): Promise<MediaPath | null>;
  /** Takes back what the connection holds, also of a room that is lost. */
  leave(): Promise<void>;
}

export interface MediaPath {
  protocol: string;
  /** Of the server. */
  address: string;
  port: number;
}

/** The native end of a voice track; outlives the connections that publish it. */
export class LiveKitVoice implements VoiceSource {
  readonly sampleRate: number;
  readonly source: AudioSource;

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
    this.source = openQuietly(() => new AudioSource(sampleRate, 1, SOURCE_QUEUE_MS));
  }

  capture(frame: Int16Array): Promise<void> {
    return this.source.captureFrame(new AudioFrame(frame, this.sampleRate, 1, frame.length));
  }

  clear(): void {
    if (!this.source.closed) this.source.clearQueue();
  }

  async close(): Promise<void> {
    if (!this.source.closed) await this.source.close();
  }
}

/**
 * Enough for Opus to leave its part for speech alone, which takes twice the processor time, and more where nothing is
 * said. Silence is not sent (DTX).
 */
const VOICE_BITS_PER_SECOND = 80_000n;

/** Of the caller's audio at a time: every frame costs events of the library, which all rooms of the process see. */
const MICROPHONE_FRAME_MS = 20;

/**
 * Whether an error, which came from nowhere, is the library's complaint that something was dropped before it was
 * collected as garbage: nothing is wrong then.
 */
export function isDroppedHandle(error: unknown): boolean {
  return error instanceof Error && error.message === "trying to drop an invalid handle";
}

/** Longer than the server may take to let go of us; a server that is gone is not waited for. */
const LEAVE_MS = 2000;

/** Joins a room and publishes the voice in it. Rejects with the library's error where that fails. */
export async function joinLiveKitRoom(options: {
  url: string;
  token: string;
  voice: LiveKitVoice;
  events: RoomEvents;
}): Promise<RoomConnection> {
  const room = new RtcRoom();
  const microphone = new MicrophoneReader(room, (samples) => options.events.onAudio(samples));
  const stay = { isOver: false };
  await room.connect(options.url, options.token, { autoSubscribe: false, dynacast: false });
  const track = LocalAudioTrack.createAudioTrack("voice", options.voice.source);
  const leave = async (): Promise<void> => {
    await leaveRoom(room);
    // The native track holds the source, whose thread counts 10 ms after 10 ms, closed or not, until memory is swept.
    // Of a room that the server ended the library keeps it for good: a runtime leaves before its room is deleted.
    await track.close(false);
  };
  try {
    const publication = await publishVoice(room, track);
    pass(room, options.events, microphone, stay);
    return connectionOf({ room, publication, microphone, stay, leave });
  } catch (error) {
    await leave();
    throw error;
  }
}

async function publishVoice(room: RtcRoom, track: LocalAudioTrack): Promise<LocalTrackPublication> {
  const options = new TrackPublishOptions({
    source: TrackSource.SOURCE_MICROPHONE,
    audioEncoding: { maxBitrate: VOICE_BITS_PER_SECOND },
  });
  const local = room.localParticipant;
  if (local === undefined) throw new Error("the room was lost while it was joined");
  return await local.publishTrack(track, options);
}

/** Passes the library's events on until the stay is over. */
function pass(room: RtcRoom, events: RoomEvents, microphone: MicrophoneReader, stay: { isOver: boolean }): void {
  room.on(RoomEvent.ParticipantConnected, (participant) => {
    if (!stay.isOver) events.onParticipantJoined(describe(participant));
  });
  room.on(RoomEvent.ParticipantDisconnected, (participant) => {
    if (!stay.isOver) events.onParticipantLeft(describe(participant), departureOf(participant.disconnectReason));
  });
  room.on(RoomEvent.ParticipantAttributesChanged, (_changed, participant) => {
    const remote = room.remoteParticipants.get(participant.identity);
    if (!stay.isOver && remote !== undefined) events.onParticipantChanged(describe(remote));
  });
  room.on(RoomEvent.DtmfReceived, (_code, key, participant) => {
    if (!stay.isOver) events.onKey(describe(participant), key);
  });
  room.on(RoomEvent.DataReceived, (payload, participant, _kind, topic) => {
    if (!stay.isOver) events.onData(participant === undefined ? null : describe(participant), topic ?? "", payload);
  });
  room.on(RoomEvent.Reconnected, () => {
    if (!stay.isOver) events.onReturned();
  });
  room.on(RoomEvent.Disconnected, (reason) => {
    if (stay.isOver) return;
    stay.isOver = true;
    microphone.close();
    events.onLost(lossOf(reason));
  });
}

function departureOf(reason: DisconnectReason | undefined): Departure {
  if (reason === DisconnectReason.CLIENT_INITIATED) return "own-wish";
  if (reason === DisconnectReason.USER_UNAVAILABLE) return "unavailable";
  return reason === DisconnectReason.USER_REJECTED ? "rejected" : "other";
}

function lossOf(reason: DisconnectReason): RoomLoss {
  if (reason === DisconnectReason.DUPLICATE_IDENTITY) return "replaced";
  if (reason === DisconnectReason.PARTICIPANT_REMOVED) return "removed";
  if (reason === DisconnectReason.ROOM_DELETED || reason === DisconnectReason.ROOM_CLOSED) return "ended";
  return "broken";
}

function describe(participant: RemoteParticipant): Participant {
  return {
    sid: participant.sid ?? "",
    identity: participant.identity,
    attributes: participant.attributes,
    isAgent: participant.kind === ParticipantKind.AGENT,
  };
}

function connectionOf(parts: {
  room: RtcRoom;
  publication: LocalTrackPublication;
  microphone: MicrophoneReader;
  stay: { isOver: boolean };
  leave: () => Promise<void>;
}): RoomConnection {
  const { room, publication, microphone, stay } = parts;
  const local = () => {
    if (room.localParticipant === undefined || stay.isOver) throw new Error("not in the room");
    return room.localParticipant;
  };
  return {
    participants: () => [...room.remoteParticipants.values()].map(describe),
    listenTo: (sid) => microphone.listenTo(sid),
    setAttributes: async (attributes) => await setAttributes(room, local(), attributes),
    sendData: async (topic, payload, toIdentity) =>
      await local().publishData(payload, { reliable: true, topic, destination_identities: [toIdentity] }),
    async openTranscript({ senderIdentity, toIdentity, attributes }) {
      return await local().streamText({
        topic: transcriptionTopic,
        senderIdentity,
        destinationIdentities: [toIdentity],
        attributes,
      });
    },
    voiceTrackId: () => publication.sid ?? null,
    microphoneTrackId: () => microphone.trackId(),
    mediaPath: () => readMediaPath(room),
    async leave() {
      stay.isOver = true;
      microphone.close();
      await parts.leave();
    },
  };
}

/**
 * Changes attributes of this side; resolves when the server tells of them. The library's own promise waits for the
 * server's answer to the request, and misses one that is faster than its preparations: that takes 5 s each time.
 */
async function setAttributes(room: RtcRoom, own: LocalParticipant, attributes: Record<string, string>): Promise<void> {
  let stop = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    const check = (_changed: Record<string, string>, participant: { identity: string }): void => {
      if (participant.identity !== own.identity) return;
      if (Object.entries(attributes).every(([name, value]) => own.attributes[name] === value)) resolve();
    };
    room.on(RoomEvent.ParticipantAttributesChanged, check);
    stop = () => room.off(RoomEvent.ParticipantAttributesChanged, check);
  });
  await Promise.race([told, own.setAttributes(attributes)]).finally(stop);
}

async function readMediaPath(room: RtcRoom): Promise<MediaPath | null> {
  const stats = (await room.getRtcStats()).publisherStats.map((entry) => entry.stats);
  for (const { value: pair } of stats.filter((entry) => entry.case === "candidatePair")) {
    if (pair.candidatePair?.nominated !== true) continue;
    const id = pair.candidatePair.remoteCandidateId;
    const remote = stats.find((entry) => entry.case === "remoteCandidate" && entry.value.rtc?.id === id);
    if (remote?.case !== "remoteCandidate" || remote.value.candidate === undefined) continue;
    const { protocol = "", address = "", port = 0 } = remote.value.candidate;
    return { protocol, address, port };
  }
  return null;
}

/**
 * Of a room that it has lost, the library takes back nothing: its `disconnect` returns at once, and the room goes on to
 * read every event of all rooms of the process. It does its work where the room seems connected.
 */
async function leaveRoom(room: RtcRoom): Promise<void> {
  if (!room.isConnected) Object.defineProperty(room, "isConnected", { value: true });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LEAVE_MS);
  });
  await Promise.race([room.disconnect(), late]);
  clearTimeout(timer);
}

/** Subscribes to the microphone of one participant and reads it. */
class MicrophoneReader {
  readonly #room: RtcRoom;
  readonly #onAudio: (samples: Int16Array) => void;
  #sid: string | null = null;
  readonly #tracks = new Set<RemoteTrack>();
  #reading: { trackId: string; reader: ReadableStreamDefaultReader<AudioFrame> } | null = null;

  constructor(room: RtcRoom, onAudio: (samples: Int16Array) => void) {
    this.#room = room;
    this.#onAudio = onAudio;
    room.on(RoomEvent.TrackPublished, (publication, participant) => {
      if (this.#isSelected(participant) && publication.kind === TrackKind.KIND_AUDIO) publication.setSubscribed(true);
    });
    room.on(RoomEvent.TrackSubscribed, (track, publication, participant) => {
      this.#tracks.add(track);
      if (this.#isSelected(participant) && track.kind === TrackKind.KIND_AUDIO)
        this.#read(track, publication.sid ?? "");
    });
    room.on(RoomEvent.TrackUnsubscribed, (track, publication) => {
      if (publication.sid === this.#reading?.trackId) this.#stop();
      this.#letGo(track);
    });
    // The library tells of a room that it found again before it has the way to the server for subscriptions: those that
    // were asked for in between are lost.
    room.on(RoomEvent.Reconnected, () => this.#subscribe());
  }

  listenTo(sid: string | null): void {
    if (sid !== this.#sid) this.#stop();
    this.#sid = sid;
    this.#subscribe();
  }

  trackId(): string | null {
    return this.#reading?.trackId ?? null;
  }

  close(): void {
    this.#sid = null;
    this.#stop();
    for (const track of this.#tracks) this.#letGo(track);
  }

  /**
   * Where a room is left with a track in it, the library drops the track's handle and puts an empty one in its place: the
   * garbage collector, should it come in between, finds no handle, and its complaint would end the process.
   */
  #letGo(track: RemoteTrack): void {
    this.#tracks.delete(track);
    // It is held no longer, which is what is wanted.
    track.close().catch(() => undefined);
  }

  #isSelected(participant: RemoteParticipant | undefined): boolean {
    return this.#sid !== null && participant?.sid === this.#sid;
  }

  #subscribe(): void {
    for (const participant of this.#room.remoteParticipants.values()) {
      if (!this.#isSelected(participant)) continue;
      for (const publication of participant.trackPublications.values())
        if (publication.kind === TrackKind.KIND_AUDIO) publication.setSubscribed(true);
    }
  }

  #stop(): void {
    const { reader } = this.#reading ?? {};
    this.#reading = null;
    // A stream that ended by itself has nothing to cancel.
    reader?.cancel().catch(() => undefined);
  }

  /** The last microphone that a participant opens is the one that it speaks into. */
  #read(track: RemoteTrack, trackId: string): void {
    this.#stop();
    const stream = new AudioStream(track, {
      sampleRate: RECOGNITION_RATE,
      numChannels: 1,
      frameSizeMs: MICROPHONE_FRAME_MS,
    });
    const reader = stream.getReader();
    const reading = { trackId, reader };
    this.#reading = reading;
    const next = (): void => {
      reader.read().then(
        ({ done, value }) => {
          if (done || this.#reading !== reading) return;
          this.#onAudio(value.data);
          next();
        },
        () => this.#stop(),
      );
    };
    next();
  }
}
