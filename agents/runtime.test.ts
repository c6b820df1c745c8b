import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import {
  endConversationSubject,
  type HandOver,
  handOverSubject,
  runtimeThereSubject,
  startConversationSubject,
  takeBacklogSubject,
} from "#protocol/bus/conversation";
import type { Reply } from "#protocol/bus/control";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import type { Conversation } from "./conversation/conversation.js";
import type { ConversationOutcome } from "./conversation/outcome.js";
import { ConversationGone } from "./conversation/take-log.js";
import { Runtime } from "./runtime.js";
import { SpeechUnavailable } from "./conversation/await-speech.js";
import { planOf } from "./testing/plan.js";

let bus: LocalBus;
let clock: VirtualClock;
let runtime: Runtime;
let happened: string[];
/** Ends of the conversations that are open, by session and attempt. */
let over: Map<string, (outcome: ConversationOutcome) => void>;
/** Hand-overs of them. */
let pass: Map<string, () => void>;
let opening: () => Promise<void>;
/** Warnings and errors. */
let logged: string[];

beforeEach(() => {
  [bus, clock, happened, over, pass] = [new LocalBus(), new VirtualClock(), [], new Map(), new Map()];
  opening = () => Promise.resolve();
  logged = [];
  runtime = new Runtime({
    ...{ bus, clock, runtimeId: "r", places: 2 },
    log: pino({ level: "warn" }, { write: (line: string) => void logged.push(line) }),
    open: async ({ plan, attempt, onHandedOver, onOver }) => {
      const name = `${plan.sessionId}:${attempt}`;
      happened.push(`opens ${name}`);
      await opening();
      over.set(name, onOver);
      pass.set(name, onHandedOver);
      return {
        handOver: () => happened.push(`hands over ${name}`),
        lose: () => happened.push(`loses ${name}`),
        readBacklog: () => (name === "b:1" ? null : { events: [], audio: new Uint8Array(2) }),
        end: (reason: string) => happened.push(`ends ${name}: ${reason}`),
      } as unknown as Conversation;
    },
    metrics: { begun: () => undefined, over: () => undefined, turn: () => undefined, toolCalled: () => undefined },
    onChange: () => undefined,
  });
});

async function ask(subject: string, question: object): Promise<string> {
  const reply = await bus.request<Reply<object>>(subject, question, { timeoutMs: 1000, dependency: "The runtime" });
  return reply.ok ? "taken" : reply.error.code;
}
const end = (sessionId: string): Promise<unknown> =>
  bus.request(
    endConversationSubject("r"),
    { sessionId, reason: "requested" },
    { timeoutMs: 1000, dependency: "The runtime" },
  );
const start = (sessionId: string, attempt = 1): Promise<string> =>
  ask(startConversationSubject("r"), { plan: { ...planOf({}), sessionId }, attempt });
const handedOver = (): HandOver[] =>
  bus.published.flatMap(({ subject, message }) => (subject === handOverSubject ? [message as HandOver] : []));

describe("a runtime", () => {
  it("takes as many conversations as it has places, and refuses the next one as overloaded", async () => {
    expect([await start("a"), await start("b"), await start("c")]).toEqual(["taken", "taken", "overloaded"]);
    expect(runtime.sessions).toEqual(["a", "b"]);
    over.get("a:1")?.("ended");
    expect(await start("c")).toBe("taken");
  });

  it("takes the same attempt once, and a later one of a conversation that it holds although it is full", async () => {
    await start("a");
    await start("b");
    expect([await start("a"), await start("a", 2)]).toEqual(["taken", "taken"]);
    await nextTurn();
    expect(happened).toEqual(["opens a:1", "opens b:1", "opens a:2", "loses a:1"]);
    over.get("a:1")?.("lost");
    expect(runtime.sessions).toEqual(["a", "b"]);
  });

  it("takes none while it drains, hands over what it holds, and is done when all are gone", async () => {
    await start("a");
    let isDone = false;
    const drained = runtime.drain().then(() => (isDone = true));
    expect([runtime.places, await start("b")]).toEqual([0, "draining"]);
    expect(happened).toEqual(["opens a:1", "hands over a:1"]);
    clock.advance(1000);
    await nextTurn();
    expect(isDone).toBe(false);
    over.get("a:1")?.("handed-over");
    clock.advance(1000);
    await drained;
    expect(handedOver()).toEqual([{ sessionId: "a", runtimeId: "r", attempt: 1 }]);
  });

  it("offers what it hands over while it still has it, and then gives what the caller did meanwhile", async () => {
    await start("a");
    await start("b");
    await nextTurn();
    const backlogOf = (sessionId: string): Promise<unknown> =>
      bus.request(takeBacklogSubject("r"), { sessionId }, { timeoutMs: 1000, dependency: "The runtime" });
    pass.get("a:1")?.();
    expect(handedOver()).toEqual([{ sessionId: "a", runtimeId: "r", attempt: 1 }]);
    expect(runtime.sessions).toEqual(["a", "b"]);
    expect(await end("a")).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await backlogOf("a")).toEqual({ ok: true, value: { events: [], audio: new Uint8Array(2) } });
    for (const other of ["b", "c"])
      expect(await backlogOf(other)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await end("b")).toMatchObject({ ok: true });
  });

  it("gives back what it cannot open, a moment later", async () => {
    opening = () => Promise.reject(new Error("the room server is away"));
    expect(await start("a")).toBe("taken");
    await nextTurn();
    expect(handedOver()).toEqual([]);
    clock.advance(500);
    expect(handedOver()).toEqual([{ sessionId: "a", runtimeId: "r", attempt: 1 }]);
    expect(runtime.sessions).toEqual([]);
  });

  it("says so when it lost one, for the case that nobody has it", async () => {
    await start("a");
    over.get("a:1")?.("lost");
    expect(handedOver()).toEqual([{ sessionId: "a", runtimeId: "r", attempt: 1 }]);
    await start("b");
    over.get("b:1")?.("ended");
    expect(handedOver()).toHaveLength(1);
  });

  it.each(["lost", "ended"] as const)("lets go at once, and quietly, of one that it finds %s", async (outcome) => {
    opening = () => Promise.reject(new ConversationGone(outcome));
    await start("a");
    await nextTurn();
    expect([runtime.sessions, logged]).toEqual([[], []]);
    expect(handedOver()).toHaveLength(outcome === "lost" ? 1 : 0);
  });

  it("does not give back what has ended because nobody recognizes or speaks in it", async () => {
    opening = () => Promise.reject(new SpeechUnavailable("no model"));
    await start("a");
    await nextTurn();
    clock.advance(10_000);
    expect([runtime.sessions, handedOver()]).toEqual([[], []]);
  });

  describe("that is still opening a conversation", () => {
    let settle: { resolve: () => void; reject: (error: Error) => void };
    beforeEach(() => {
      opening = () =>
        new Promise((resolve, reject) => {
          settle = { resolve, reject };
        });
    });

    it("says at once that it is not open yet, and lets go of it in silence when the room is gone", async () => {
      await start("a");
      expect(await end("a")).toEqual({ ok: true, value: { isOpen: false } });
      settle.reject(new Error("could not establish signal connection: no such room"));
      await nextTurn();
      clock.advance(10_000);
      expect([runtime.sessions, handedOver(), logged]).toEqual([[], [], []]);
    });

    it("ends it once it is open where its end was asked for meanwhile", async () => {
      await start("a");
      await end("a");
      settle.resolve();
      await nextTurn();
      expect(happened).toEqual(["opens a:1", "ends a:1: requested"]);
    });

    it("says so loudly where nobody asked for its end", async () => {
      await start("a");
      settle.reject(new Error("the room server is away"));
      await nextTurn();
      clock.advance(10_000);
      expect(handedOver()).toHaveLength(1);
      expect(logged.join()).toContain("could not be opened");
    });
  });

  it("ends what it holds on request, and knows nothing of others", async () => {
    await start("a");
    await nextTurn();
    expect(await end("a")).toEqual({ ok: true, value: { isOpen: true } });
    expect(await end("b")).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(happened.at(-1)).toBe("ends a:1: requested");
  });

  it("is there until it is closed, and lets go of everything then", async () => {
    await start("a");
    expect(await bus.isAnswered(runtimeThereSubject("r"))).toBe(true);
    runtime.close();
    await nextTurn();
    expect(await bus.isAnswered(runtimeThereSubject("r"))).toBe(false);
    expect(happened.at(-1)).toBe("loses a:1");
  });
});
