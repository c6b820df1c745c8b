import {
  AudioFrame,
  AudioSource,
  AudioStream,
  type DisconnectReason,
  LocalAudioTrack,
  type RemoteParticipant,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import {
  agentEventTopic,
  clientEventTopic,
  transcriptAttributes,
  transcriptionTopic,
} from "#protocol/agents/room-topics";
import { openQuietly } from "#common/livekit/library-logs";

/** What a caller was sent on the transcription topic. */
export interface ReceivedTranscript {
  identity: string;
  segmentId: string;
  isFinal: boolean;
  trackId: string | null;
  text: string;
}

/** 10 ms that a caller heard. */
export interface ReceivedFrame {
  atMs: number;
  /** Root mean square, 1 is full scale. */
  loudness: number;
  samples: Int16Array;
  /** Of the agent that said it: for a moment there may be two. */
  trackId: string;
}

const RATE = 16_000;

/** A caller's program on LiveKit's own library, with what it received. */
export class RtcCaller {
  readonly room = new Room();
  readonly received: ReceivedFrame[] = [];
  readonly events: Record<string, unknown>[] = [];
  readonly transcripts: ReceivedTranscript[] = [];
  /** States that the agent showed, in order. */
  readonly states: string[] = [];
  /** How many others were in the room at each change. */
  readonly company: number[] = [];
  disconnected: DisconnectReason | null = null;
  #microphone: AudioSource | null = null;

  static async join(url: string, token: string): Promise<RtcCaller> {
    const caller = new RtcCaller();
    caller.#listen();
    await openQuietly(() => caller.room.connect(url, token, { autoSubscribe: true, dynacast: false }));
    for (const participant of caller.room.remoteParticipants.values()) caller.#noteState(participant.attributes);
    return caller;
  }

  get identity(): string {
    return this.room.localParticipant?.identity ?? "";
  }

  async openMicrophone(): Promise<void> {
    this.#microphone = new AudioSource(RATE, 1, 1000);
    const track = LocalAudioTrack.createAudioTrack("microphone", this.#microphone);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    await this.room.localParticipant?.publishTrack(track, options);
  }

  /** Says samples at 16 kHz; resolves when the last one has left. */
  async speak(samples: Int16Array): Promise<void> {
    const source = this.#microphone;
    if (source === null) throw new Error("no microphone");
    for (let at = 0; at < samples.length; at += 160) {
      const frame = new Int16Array(160);
      frame.set(samples.subarray(at, at + 160));
      await source.captureFrame(new AudioFrame(frame, RATE, 1, 160));
    }
    await source.waitForPlayout();
  }

  async send(event: unknown): Promise<void> {
    await this.sendBytes(new TextEncoder().encode(JSON.stringify(event)));
  }

  async sendBytes(packet: Uint8Array, topic = clientEventTopic): Promise<void> {
    await this.room.localParticipant?.publishData(packet, { reliable: true, topic });
  }

  /** When the first frame after `afterMs` was that loud; null before it was. */
  onsetAfter(afterMs: number, loudness = 0.02): number | null {
    return this.received.find((frame) => frame.atMs >= afterMs && frame.loudness > loudness)?.atMs ?? null;
  }

  /** Says goodbye. */
  async leave(): Promise<void> {
    await this.room.disconnect();
  }

  #listen(): void {
    const { room } = this;
    room.on(RoomEvent.TrackSubscribed, (track, publication) => {
      if (track.kind !== TrackKind.KIND_AUDIO) return;
      const stream = new AudioStream(track, { sampleRate: RATE, numChannels: 1, frameSizeMs: 10 });
      void this.#hear(stream, publication.sid ?? "");
    });
    room.on(RoomEvent.DataReceived, (payload, _participant, _kind, topic) => {
      if (topic === agentEventTopic) this.events.push(JSON.parse(new TextDecoder().decode(payload)));
    });
    room.on(RoomEvent.ParticipantAttributesChanged, (changed, participant) => {
      if (participant.identity !== this.identity) this.#noteState(changed);
    });
    const noteCompany = (participant: RemoteParticipant): void => {
      this.#noteState(participant.attributes);
      this.company.push(room.remoteParticipants.size);
    };
    room.on(RoomEvent.ParticipantConnected, noteCompany);
    room.on(RoomEvent.ParticipantDisconnected, () => this.company.push(room.remoteParticipants.size));
    room.on(RoomEvent.Disconnected, (reason) => {
      this.disconnected = reason;
    });
    room.registerTextStreamHandler(transcriptionTopic, async (reader, { identity }) => {
      const attributes = reader.info.attributes ?? {};
      const transcript: ReceivedTranscript = {
        identity,
        segmentId: attributes[transcriptAttributes.segmentId] ?? "",
        isFinal: attributes[transcriptAttributes.isFinal] === "true",
        trackId: attributes[transcriptAttributes.trackId] ?? null,
        text: "",
      };
      this.transcripts.push(transcript);
      try {
        for await (const piece of reader) transcript.text += piece;
      } catch {
        // Whoever wrote it was killed in the middle: what came is what there is.
      }
    });
  }

  #noteState(attributes: Record<string, string>): void {
    const state = attributes["lk.agent.state"];
    if (state !== undefined) this.states.push(state);
  }

  async #hear(stream: AudioStream, trackId: string): Promise<void> {
    for await (const { data } of stream) {
      let sum = 0;
      for (const sample of data) sum += (sample / 32768) ** 2;
      this.received.push({ atMs: performance.now(), loudness: Math.sqrt(sum / data.length), samples: data, trackId });
    }
  }
}
