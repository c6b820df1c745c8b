import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { Dialogue } from "../dialogue/dialogue.js";
import { testSettings } from "../dialogue/testing/test-dialogue.js";
import { CallerFeed } from "../hand-over/caller-feed.js";
import type { ModelRequest } from "../model/language-model.js";
import type { Room } from "../room/room.js";
import { VirtualTrack } from "../room/testing/virtual-track.js";
import { ClientCalls } from "./client-calls.js";
import { Conversation, type ReplyEvents } from "./conversation.js";
import { LogWriter } from "./log-writer.js";

const subject = "parley.conversation.s";

let bus: LocalBus;
let clock: VirtualClock;
let events: string[];
let requests: ModelRequest[];
let reply: ReplyEvents | null;
let closes: (() => Promise<void>)[];
let feed: CallerFeed;

beforeEach(() => {
  bus = new LocalBus();
  clock = new VirtualClock();
  events = [];
  requests = [];
  reply = null;
  closes = [];
});

/** Lets promises go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

function open({ closeRoom = () => Promise.resolve(), isBehind = false } = {}): Conversation {
  const room: Room = {
    voice: new VirtualTrack(clock, { sampleRate: 24_000, queueMs: 60 }),
    setState: (state) => events.push(`state ${state}`),
    publishTranscript: ({ speaker, text, isFinal }) => {
      if (isFinal) events.push(`${speaker}: ${text}`);
    },
    sendEvent: (event) => events.push(event.type),
    close: async ({ deletesRoom }) => {
      events.push(deletesRoom ? "room deleted" : "room left");
      await closeRoom();
    },
  };
  const records = new LogWriter({
    ...{ log: bus.subjectLog(), subject, after: 0, clock },
    epochMs: () => 0,
    onConflict: () => conversation.lose(),
  });
  feed = new CallerFeed({
    ...{ clock, isBehind, onAudio: () => undefined, onDropped: () => events.push("dropped") },
    onEvent: (event) => {
      if (event.type === "client-event") conversation.clientEvent(event.event);
    },
  });
  const dialogue = new Dialogue({ settings: testSettings, nowMs: 0, responder: "scripted" });
  const conversation: Conversation = new Conversation({
    ...{ dialogue, room, clock, records },
    log: createLogger("test", "fatal"),
    recorder: {
      begin: (sinceJoinedMs) => void events.push(`records from ${sinceJoinedMs} ms`),
      close: async ({ isComplete }) => void events.push(isComplete ? "recording complete" : "recording left"),
    },
    transcription: { push: () => undefined, close: () => events.push("transcription closed") },
    model: {
      name: "scripted",
      answer: (request) => {
        requests.push(request);
        return new Promise((resolve) => closes.push(async () => resolve()));
      },
      warm: () => void events.push("model warmed"),
      close: () => void events.push("model closed"),
    },
    prepareRequest: async () => ({ messages: [], tools: [] }),
    tools: { call: () => Promise.reject(new Error("no tool is there")) },
    clientCalls: new ClientCalls(() => undefined),
    transfers: { close: () => undefined },
    feed: {
      get isLive() {
        return feed.isLive;
      },
      handOver: () => feed.handOver([]),
      readBacklog: () => feed.readBacklog(),
    },
    runtimeId: "r",
    onHandedOver: () => events.push("handed over"),
    sendsToolEvents: true,
    toolSourceOf: () => "unknown",
    openSpeech: (given) => {
      reply = given;
      const note = (what: string) => () => void events.push(what);
      return {
        text: (text) => void events.push(`says ${text}`),
        finish: note("reply finished"),
        pause: note("reply paused"),
        resume: note("reply resumed"),
        stop: note("reply stopped"),
      };
    },
    metrics: { begun: () => undefined, over: () => undefined, turn: () => undefined, toolCalled: () => undefined },
    onOver: (outcome) => events.push(`over: ${outcome}`),
  });
  conversation.begin(dialogue.takeActions());
  return conversation;
}

async function recordTypes(): Promise<string[]> {
  return (await bus.subjectLog().read<ConversationRecord>(subject)).map(({ message }) => message.type);
}

describe("the driver of a conversation", () => {
  it("asks, speaks and writes down what the dialogue decides", async () => {
    const conversation = open();
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.message", text: "Hello?" });
    await settle();
    requests[0]?.onText("Good morning.");
    await closes[0]?.();
    await settle();
    expect(events).toContain("says Good morning.");
    expect(events).toContain("reply finished");
    reply?.onPlayed("Good morning.".length, true);
    await settle();
    expect(events).toContain("agent: Good morning.");
    expect(await recordTypes()).toEqual(
      expect.arrayContaining(["caller-joined", "caller-said", "reply-started", "reply-text", "reply-ended"]),
    );
  });

  it("speaks nothing of an answer that the caller's program wants as text, and says so in the log", async () => {
    const conversation = open();
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.message", text: "Hello?", isTextOnly: true });
    await settle();
    requests[0]?.onText("Good morning.");
    await closes[0]?.();
    await settle();
    expect(events).toContain("agent: Good morning.");
    expect(events.filter((event) => event.startsWith("says") || event === "reply finished")).toEqual([]);
    const stored = (await bus.subjectLog().read<ConversationRecord>(subject)).map(({ message }) => message);
    const flagged = stored.filter((record) => "isTextOnly" in record).map(({ type }) => type);
    expect(flagged).toEqual(["caller-said", "reply-started"]);
  });

  it("has the model's connection ready before each question, and ends it with itself", async () => {
    const conversation = open();
    const warmed = (): number => events.filter((event) => event === "model warmed").length;
    expect(warmed()).toBe(1);
    conversation.input({ type: "caller-joined" });
    expect(warmed()).toBe(2);
    conversation.input({ type: "speech-started" });
    expect(warmed()).toBe(3);
    conversation.input({ type: "hang-up" });
    expect(events).toContain("model closed");
  });

  it("ends with its last record stored and the room deleted", async () => {
    const conversation = open();
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.hangup" });
    await settle();
    expect(events).toContain("records from 0 ms");
    expect(events.slice(-4)).toEqual(["transcription closed", "recording complete", "room deleted", "over: ended"]);
    expect((await recordTypes()).at(-1)).toBe("ended");
  });

  it("is over although the room server is away at its end", async () => {
    const conversation = open({ closeRoom: () => Promise.reject(new Error("the room server is away")) });
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.hangup" });
    await settle();
    expect(events.at(-1)).toBe("over: ended");
  });

  it("lets go of the room and of its requests once another runtime has written", async () => {
    const conversation = open();
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.message", text: "Hello?" });
    await settle();
    const [last] = (await bus.subjectLog().read(subject)).slice(-1);
    await bus.subjectLog().append(subject, { type: "taken" }, last?.sequence ?? 0);
    conversation.clientEvent({ type: "user.message", text: "Are you there?" });
    await settle();
    expect(events.slice(-2)).toEqual(["room left", "over: lost"]);
    expect(requests.every(({ signal }) => signal.aborted)).toBe(true);
    const before = events.length;
    conversation.clientEvent({ type: "user.message", text: "Still?" });
    await settle();
    expect(events.length).toBe(before);
  });

  it("is handed over in a pause, not while the agent thinks", async () => {
    const conversation = open();
    conversation.input({ type: "caller-joined" });
    conversation.clientEvent({ type: "user.message", text: "Hello?" });
    await settle();
    conversation.handOver();
    await settle();
    expect(events.some((event) => event.startsWith("over"))).toBe(false);
    requests[0]?.onText("Yes.");
    await closes[0]?.();
    await settle();
    reply?.onPlayed("Yes.".length, true);
    await settle();
    expect(events.slice(-2)).toEqual(["recording left", "handed over"]);
  });

  describe("that was handed over", () => {
    const typed = { type: "client-event", event: { type: "user.message", text: "Are you there?" } } as const;

    it("stays in the room, answers nothing, and gives what the caller typed to whoever asks", async () => {
      const conversation = open();
      conversation.input({ type: "caller-joined" });
      expect(conversation.readBacklog()).toBeNull();
      conversation.handOver();
      await settle();
      expect((await recordTypes()).at(-1)).toBe("handed-over");
      clock.advance(1000);
      feed.event(typed);
      clock.advance(500);
      expect(conversation.readBacklog()?.events).toEqual([{ event: typed, ageMs: 500 }]);
      await settle();
      expect(requests).toEqual([]);
      expect(events).not.toContain("room left");
      conversation.lose();
      await settle();
      expect(events.slice(-2)).toEqual(["room left", "over: handed-over"]);
    });

    it.each([
      ["ten seconds after nobody has come", 10_000, () => undefined],
      ["a moment after the backlog was read", 1500, (conversation: Conversation) => conversation.readBacklog()],
      ["at once where its room is gone", 0, (conversation: Conversation) => conversation.end("room_lost", null, false)],
    ])("leaves %s", async (_, afterMs, happens) => {
      const conversation = open();
      conversation.handOver();
      await settle();
      happens(conversation);
      if (afterMs > 0) clock.advance(afterMs - 1);
      await settle();
      expect(events.includes("room left")).toBe(afterMs === 0);
      clock.advance(1);
      await settle();
      expect(events.slice(-2)).toEqual(["room left", "over: handed-over"]);
    });

    it("is not handed on before it has what an earlier runtime holds", async () => {
      const conversation = open({ isBehind: true });
      conversation.input({ type: "caller-joined" });
      conversation.handOver();
      await settle();
      expect(events).not.toContain("handed over");
      feed.catchUp(null, clock.nowMs());
      conversation.caughtUp();
      await settle();
      expect(events).toContain("handed over");
    });
  });
});
