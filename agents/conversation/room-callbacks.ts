import type { CallerEvent } from "#protocol/bus/conversation";
import type { Logger } from "#common/log";
import type { AnswererDetection } from "../call/answerer/answerer-detection.js";
import type { Line } from "../call/line.js";
import type { CallerFeed, CallerFeedOptions } from "../hand-over/caller-feed.js";
import type { Succession } from "../hand-over/succession.js";
import type { Recorder } from "../recording/conversation-recorder.js";
import type { RoomCallbacks } from "../room/room.js";
import type { Transfers } from "../transfer/transfers.js";
import type { CallerTranscription } from "../turn/caller-transcription.js";
import type { ConversationParts } from "./conversation.js";
import type { expectCaller } from "./expected-caller.js";
import type { Tell } from "./mailbox.js";

/** Where what the caller does and says goes. */
export function feedSinks(
  tell: Tell,
  parts: {
    transcription: CallerTranscription;
    line: Line;
    transfers: Transfers;
    detection: AnswererDetection | null;
    log: Logger;
  },
): Pick<CallerFeedOptions, "onEvent" | "onAudio" | "onDropped"> {
  const { transcription, line, transfers, detection, log } = parts;
  return {
    onEvent(event) {
      switch (event.type) {
        case "client-event":
          return tell((conversation) => conversation.clientEvent(event.event));
        case "key":
          return line.event(event);
        case "left":
          return transfers.callerLeft(() => tell((conversation) => conversation.input({ type: "hang-up" })));
      }
    },
    onAudio(samples) {
      detection?.push(samples);
      transcription.push(samples);
    },
    onDropped: () => log.warn("what a caller did was not held for the next runtime"),
  };
}

/** A hand-over begins with the keys that nobody was told of yet, and ends all else that waits for the caller. */
export function handingOver(
  feed: CallerFeed,
  { line, detection }: { line: Line; detection: AnswererDetection | null },
): ConversationParts["feed"] {
  return {
    get isLive() {
      return feed.isLive;
    },
    handOver() {
      const keys = [...line.close()].map((key): CallerEvent => ({ type: "key", key }));
      detection?.close();
      feed.handOver(keys);
    },
    readBacklog: () => feed.readBacklog(),
  };
}

/** What a conversation does with what its room tells. */
export function roomCallbacks(
  tell: Tell,
  {
    feed,
    succession,
    recorder,
    caller,
    line,
    transfers,
    detection,
  }: {
    feed: CallerFeed;
    succession: Succession;
    recorder: Recorder;
    caller: ReturnType<typeof expectCaller>;
    line: Line;
    transfers: Transfers;
    detection: AnswererDetection | null;
  },
): RoomCallbacks {
  return {
    onCallerJoined() {
      caller.seen();
      succession.callerSeen();
      tell((conversation) => conversation.input({ type: "caller-joined" }));
      detection?.begin();
    },
    onCallerLeft(isFinal) {
      if (isFinal) return feed.event({ type: "left" });
      transfers.callerLeft(() => tell((conversation) => conversation.input({ type: "caller-left" })));
    },
    onAudio(samples) {
      // What two people say to each other is not the agent's to hear.
      if (transfers.take(samples)) return;
      recorder.addCaller(samples);
      feed.audio(samples);
    },
    onLine(event) {
      if (event.type === "key") feed.event(event);
      else if (!feed.isHandedOver) line.event(event);
    },
    onClientEvent: (event) => feed.event({ type: "client-event", event }),
    onLost: (reason) =>
      tell((conversation) =>
        reason === "replaced" ? conversation.lose() : conversation.end("room_lost", null, false),
      ),
  };
}
