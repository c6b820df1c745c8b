import { beforeEach, describe, expect, it } from "vitest";
import type { CallerEvent } from "#protocol/bus/conversation";
import { VirtualClock } from "#common/clock";
import { CallerFeed } from "./caller-feed.js";

const key = (name: string): CallerEvent => ({ type: "key", key: name });
/** 100 ms of audio, all of one value. */
const audio = (value: number): Int16Array => new Int16Array(1600).fill(value);

let clock: VirtualClock;
let passedOn: string[];

beforeEach(() => {
  clock = new VirtualClock();
  passedOn = [];
});

function feedOf(isBehind: boolean): CallerFeed {
  return new CallerFeed({
    ...{ clock, isBehind },
    onEvent: (event) => passedOn.push(event.type === "key" ? event.key : event.type),
    onAudio: (samples) => passedOn.push(`${samples.filter((_, index) => index % 1600 === 0).join(" ")}`),
    onDropped: () => passedOn.push("dropped"),
  });
}

describe("what a caller does", () => {
  it("is passed on at once", () => {
    const feed = feedOf(false);
    feed.event(key("1"));
    feed.audio(audio(7));
    feed.event({ type: "left" });
    expect(passedOn).toEqual(["1", "7", "left"]);
    expect(feed.readBacklog()).toBeNull();
  });

  it("goes over to the next runtime once and in order, received by one of them or both", () => {
    const [earlier, next] = [feedOf(false), feedOf(true)];
    for (const value of [1, 2, 3, 4, 5]) {
      earlier.audio(audio(value));
      clock.advance(100);
    }
    earlier.handOver([key("1")]);
    passedOn = [];
    earlier.event(key("2"));
    clock.advance(500);
    for (const feed of [earlier, next]) {
      feed.event(key("2"));
      feed.audio(audio(6));
    }
    clock.advance(100);
    const backlog = earlier.readBacklog();
    const readMs = clock.nowMs();
    clock.advance(50);
    for (const feed of [earlier, next]) {
      feed.event(key("3"));
      feed.audio(audio(7));
    }
    expect([passedOn, next.isLive]).toEqual([[], false]);
    next.catchUp(backlog, readMs);
    next.event({ type: "left" });
    // Speech that nobody had noticed goes with it: the last 300 ms before the hand-over.
    expect(passedOn).toEqual(["1", "2", "2", "3", "3 4 5 6 7", "left"]);
    expect([next.isLive, earlier.isLive]).toEqual([true, false]);
  });

  it("is not passed on again where it comes to the next runtime later than the backlog", () => {
    const [earlier, next] = [feedOf(false), feedOf(true)];
    earlier.handOver([]);
    earlier.event(key("1"));
    const backlog = earlier.readBacklog();
    next.catchUp(backlog, clock.nowMs());
    clock.advance(1000);
    for (const name of ["1", "1", "2"]) next.event(key(name));
    expect(passedOn).toEqual(["1", "1", "2"]);
  });

  it("is the same backlog however often it is read, each time older", () => {
    const feed = feedOf(false);
    feed.handOver([]);
    feed.event(key("1"));
    clock.advance(100);
    expect(feed.readBacklog()).toEqual({ events: [{ event: key("1"), ageMs: 100 }], audio: new Uint8Array(0) });
    feed.event(key("2"));
    feed.audio(audio(1));
    clock.advance(100);
    expect(feed.readBacklog()).toEqual({ events: [{ event: key("1"), ageMs: 200 }], audio: new Uint8Array(0) });
  });

  it("that came here alone is passed on where the earlier runtime is gone", () => {
    const feed = feedOf(true);
    feed.audio(audio(1));
    feed.event(key("1"));
    expect([passedOn, feed.hasAudio]).toEqual([[], true]);
    feed.catchUp(null, clock.nowMs());
    expect(passedOn).toEqual(["1", "1"]);
    feed.catchUp(null, clock.nowMs());
    expect(passedOn).toHaveLength(2);
  });

  it("fits into a message of the bus, whatever a program sends", () => {
    const feed = feedOf(false);
    feed.handOver([]);
    for (let second = 0; second < 200; second++) feed.audio(new Int16Array(16_000));
    const text = "é".repeat(4000);
    for (let count = 0; count < 100; count++)
      feed.event({ type: "client-event", event: { type: "user.message", text } });
    const { events, audio: bytes } = feed.readBacklog() ?? { events: [], audio: new Uint8Array() };
    expect(JSON.stringify(events).length * 2 + bytes.length).toBeLessThan(1_000_000);
    expect(bytes.length).toBeGreaterThanOrEqual(320_000);
    expect(passedOn).toEqual(Array.from({ length: 100 - events.length }, () => "dropped"));
  });
});
