import type { AgentEvent, ClientEvent } from "#protocol/agents/events";
import type { AgentState } from "../dialogue/action.js";

/** A conversation's room, from the agent's place in it. Everything that a caller sends has been checked. */
export interface Room {
  /** The agent's loudspeaker. */
  readonly voice: VoiceTrack;
  setState(state: AgentState): void;
  /** Publishes what somebody says on `lk.transcription`; the text replaces what was published for the segment. */
  publishTranscript(segment: { segmentId: string; speaker: "caller" | "agent"; text: string; isFinal: boolean }): void;
  /** Sends one event to the caller's program. */
  sendEvent(event: AgentEvent): void;
  /** Leaves; `deletesRoom` ends the room for everybody. */
  close(options: { deletesRoom: boolean }): Promise<void>;
}

/** What a room tells. Never called after `close`, and never from inside a call of the room. */
export interface RoomCallbacks {
  onCallerJoined(): void;
  /** `isFinal`: the caller left of their own accord, and is not just without a network. */
  onCallerLeft(isFinal: boolean): void;
  /** The caller's audio at `RECOGNITION_RATE`, in real time, silence included. Whoever is called owns the samples. */
  onAudio(samples: Int16Array): void;
  onClientEvent(event: ClientEvent): void;
  /** What happens to a phone line; `answered` comes right before `onCallerJoined`. */
  onLine?(event: LineEvent): void;
  /** The room is gone, or somebody else took the agent's place. */
  onLost(reason: "closed" | "replaced"): void;
}

/** How a participant of LiveKit SIP left the room, as far as it says why. */
export type LineLoss = "rejected" | "unavailable" | "other";

/** What the room says of the phone line in it. */
export type LineEvent =
  /** The line is in the room, and not answered yet. */
  | { type: "seen" }
  /** It is answered: the caller joins. */
  | { type: "answered" }
  /** It left unanswered. */
  | { type: "lost"; loss: LineLoss }
  /** A key was pressed. */
  | { type: "key"; key: string };

/**
 * Plays samples in real time, mono at `sampleRate`. What has been written is heard `delayMs` after it leaves the queue
 * at the earliest; the queue is short, so that `clear` is silence at once.
 */
export interface VoiceTrack {
  readonly sampleRate: number;
  /** Takes samples; resolves when there is room for more. */
  write(samples: Int16Array): Promise<void>;
  /** Milliseconds of audio that were written and have not left the queue. */
  queuedMs(): number;
  /** Throws away what has not left the queue. */
  clear(): void;
}
