import type { Caption } from "./caption.js";

/** What a call needs of a room. */
export interface CallRoom {
  /** Sends this track to the agent from now on. */
  publishMicrophone(track: MediaStreamTrack): Promise<void>;
  /** Without a microphone nothing changes. */
  setMuted(isMuted: boolean): Promise<void>;
  /** Sends a packet of the topic `client-event`. */
  send(packet: Uint8Array<ArrayBuffer>): Promise<void>;
  leave(): Promise<void>;
}

/** What a room tells. Never called after `leave`. */
export interface CallRoomCallbacks {
  /** `lk.agent.state` of the agent; null while none is there, or the network is lost. */
  onAgentState(state: string | null): void;
  onCaption(caption: Caption): void;
  /** A packet of the topic `agent-event`. */
  onAgentPacket(packet: Uint8Array): void;
  /** The room is gone: the agent ended it, or it was lost for good. */
  onGone(reason: "ended" | "lost"): void;
}

/** Joins the room at `url` and plays what the agent says. Rejects where it cannot be joined. */
export type JoinRoom = (options: { url: string; token: string; callbacks: CallRoomCallbacks }) => Promise<CallRoom>;
