import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  dispose,
  LocalAudioTrack,
  Room,
  RoomEvent,
  type TextStreamReader,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import {
  agentEventTopic,
  agentStateAttribute,
  clientEventTopic,
  transcriptAttributes,
  transcriptionTopic,
} from "#protocol/agents/room-topics";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { openQuietly } from "#common/livekit/library-logs";
import { AGENT_RATE } from "./audio-programs.js";

/** Something that somebody says, as far as it is known. */
export interface Utterance {
  speaker: "caller" | "agent";
  segmentId: string;
  text: string;
  isFinal: boolean;
}

/** What a room tells its caller. */
export interface CallerRoomEvents {
  /** `lk.agent.state`. */
  onState(state: string): void;
  onUtterance(utterance: Utterance): void;
  /** A packet of the topic `agent-event`. */
  onAgentEvent(packet: Uint8Array): void;
  /** Audio of the agent at `AGENT_RATE`, silence too. */
  onAudio(samples: Int16Array): void;
  /** The room is over, or the way to it is lost for good. */
  onClosed(): void;
}

/** A caller's place in the room of a session. */
export interface CallerRoom {
  /** Sends an event of the topic `client-event`. */
  send(event: object): Promise<void>;
  /** Publishes a microphone; what is given to it is samples at `RECOGNITION_RATE`. */
  publishMicrophone(): Promise<(samples: Int16Array) => void>;
  /** Leaves, and lets go of the native library, without which the process would not end. */
  leave(): Promise<void>;
}

/** What a microphone may be ahead of the network; older audio is dropped. */
const MICROPHONE_QUEUE_MS = 1000;
/** A server that is gone is not waited for. */
const LEAVE_MS = 2000;

/**
 * Joins a room as its caller; `takesAudio` for what the agent says. Rejects with the library's error. Loading this
 * module loads the native library: import it where a conversation begins.
 */
export async function joinAsCaller(options: {
  url: string;
  token: string;
  takesAudio: boolean;
  events: CallerRoomEvents;
}): Promise<CallerRoom> {
  silenceLibrary();
  const room = new Room();
  listen(room, options.events);
  try {
    const settings = { autoSubscribe: options.takesAudio, dynacast: false };
    await openQuietly(() => room.connect(options.url, options.token, settings));
  } catch (error) {
    await dispose();
    throw error;
  }
  for (const { attributes } of room.remoteParticipants.values()) noteState(attributes, options.events);
  return {
    async send(event) {
      const packet = new TextEncoder().encode(JSON.stringify(event));
      await room.localParticipant?.publishData(packet, { reliable: true, topic: clientEventTopic });
    },
    publishMicrophone: () => publishMicrophone(room),
    async leave() {
      await Promise.race([room.disconnect(), new Promise((resolve) => setTimeout(resolve, LEAVE_MS).unref())]);
      await dispose();
    },
  };
}

/** The library writes lines of its own to standard output, and exports no way to stop it. */
function silenceLibrary(): void {
  const require = createRequire(import.meta.url);
  const { log } = require(join(dirname(require.resolve("@livekit/rtc-node")), "log.cjs")) as { log: { level: string } };
  log.level = "silent";
}

function listen(room: Room, events: CallerRoomEvents): void {
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind !== TrackKind.KIND_AUDIO) return;
    const stream = new AudioStream(track, { sampleRate: AGENT_RATE, numChannels: 1, frameSizeMs: 10 });
    play(stream, events).catch(() => undefined); // the track is over
  });
  room.on(RoomEvent.DataReceived, (payload, _participant, _kind, topic) => {
    if (topic === agentEventTopic) events.onAgentEvent(payload);
  });
  room.on(RoomEvent.ParticipantConnected, ({ attributes }) => noteState(attributes, events));
  room.on(RoomEvent.ParticipantAttributesChanged, (changed, { identity }) => {
    if (identity !== room.localParticipant?.identity) noteState(changed, events);
  });
  room.on(RoomEvent.Disconnected, () => events.onClosed());
  room.registerTextStreamHandler(transcriptionTopic, (reader, { identity }) => {
    const speaker = identity === room.localParticipant?.identity ? "caller" : "agent";
    void readUtterance(reader, speaker, events);
  });
}

function noteState(attributes: Record<string, string>, events: CallerRoomEvents): void {
  const state = attributes[agentStateAttribute];
  if (state !== undefined) events.onState(state);
}

async function play(stream: AudioStream, events: CallerRoomEvents): Promise<void> {
  for await (const { data } of stream) events.onAudio(data);
}

/** The caller's words come whole, again and again; the agent's grow in one stream whose end makes them final. */
async function readUtterance(
  reader: TextStreamReader,
  speaker: Utterance["speaker"],
  events: CallerRoomEvents,
): Promise<void> {
  const { attributes = {} } = reader.info;
  const segmentId = attributes[transcriptAttributes.segmentId] ?? "";
  let text = "";
  if (speaker === "agent") events.onUtterance({ speaker, segmentId, text, isFinal: false });
  try {
    for await (const piece of reader) {
      text += piece;
      if (speaker === "agent") events.onUtterance({ speaker, segmentId, text, isFinal: false });
    }
  } catch {
    // The stream broke off with the room: what came of it was said.
  }
  const isFinal = speaker === "agent" || attributes[transcriptAttributes.isFinal] === "true";
  events.onUtterance({ speaker, segmentId, text, isFinal });
}

async function publishMicrophone(room: Room): Promise<(samples: Int16Array) => void> {
  const source = new AudioSource(RECOGNITION_RATE, 1, MICROPHONE_QUEUE_MS);
  const track = LocalAudioTrack.createAudioTrack("microphone", source);
  const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
  await room.localParticipant?.publishTrack(track, options);
  let capturing = Promise.resolve();
  return (samples) => {
    if (source.queuedDuration > MICROPHONE_QUEUE_MS / 2) return;
    const frame = new AudioFrame(samples, RECOGNITION_RATE, 1, samples.length);
    // The source is closed with the room.
    capturing = capturing.then(() => source.captureFrame(frame)).catch(() => undefined);
  };
}
