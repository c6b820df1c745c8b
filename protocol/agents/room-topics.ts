/*
 * Under which names an agent and a caller's program find each other's messages in a room, and how much of them may be
 * sent. A file of its own: pages of strangers load it, and not what checks the messages.
 */

/** Data packets with an event of the agent each (`protocol/agents/events.ts`). */
export const agentEventTopic = "agent-event";
/** Data packets with an event of the caller's program each. */
export const clientEventTopic = "client-event";

/** Text streams under this topic carry what both sides say, as LiveKit's own agents publish it. */
export const transcriptionTopic = "lk.transcription";
/** Attributes of such a stream: which utterance, whether it is its last word, whose audio. */
export const transcriptAttributes = {
  segmentId: "lk.segment_id",
  isFinal: "lk.transcription_final",
  trackId: "lk.transcribed_track_id",
} as const;
/** Attribute of the agent in which it says what it does. */
export const agentStateAttribute = "lk.agent.state";

/** What a caller's program may send. */
export const clientEventLimits = {
  /** Bytes of one packet. */
  packetBytes: 64 * 1024,
  /** Unicode code points of a typed message. */
  messageCharacters: 4000,
  /** Packets a second in the long run, and at once; what comes faster is dropped. */
  perSecond: 20,
  burst: 40,
  /** So many dropped packets within seconds put the caller out of the room. */
  droppedBeforeRemoval: 200,
} as const;
