import type { ClientEvent } from "#protocol/agents/events";
import type { LineEvent, RoomCallbacks } from "#agents/room/room";

/** Everything that a room told. */
export class Told implements RoomCallbacks {
  readonly story: string[] = [];
  readonly audio: Int16Array[] = [];
  readonly events: ClientEvent[] = [];

  onCallerJoined(): void {
    this.story.push("joined");
  }
  onCallerLeft(isFinal: boolean): void {
    this.story.push(isFinal ? "left for good" : "left");
  }
  onAudio(samples: Int16Array): void {
    this.audio.push(samples);
  }
  onClientEvent(event: ClientEvent): void {
    this.events.push(event);
  }
  onLine(event: LineEvent): void {
    this.story.push(
      event.type === "key" ? `key ${event.key}` : event.type === "lost" ? `lost: ${event.loss}` : event.type,
    );
  }
  onLost(reason: "closed" | "replaced"): void {
    this.story.push(reason);
  }

  /** All audio so far. */
  samples(): Int16Array {
    const all = new Int16Array(this.audio.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.audio) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
