import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ConversationRecord, conversationSubject } from "#protocol/bus/conversation-log";
import type { ServedModel } from "#protocol/bus/membership";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { createLogger } from "#common/log";
import { planOf } from "../testing/plan.js";
import { SpeechUnavailable } from "./await-speech.js";
import { type ConversationContext, openConversation } from "./open-conversation.js";

const model = (name: string, task: ServedModel["task"]): ServedModel =>
  ({ name, task, languages: ["*"], sampleRate: 24_000, speakers: [], maxBatch: 1, provider: "cpu" }) as ServedModel;
const plan = planOf({ config: { voice: { speaking_language: "en" } } });

/** A runtime of which only the room is missing: who gets that far is refused there. */
async function bench({ past = [] as string[], epochMs = (): number => 0 } = {}) {
  const [bus, clock] = [new LocalBus(), new VirtualClock()];
  for (const [index, type] of past.entries())
    await bus.subjectLog().append(conversationSubject(plan.sessionId), { type, id: `${index}`, atEpochMs: 0 }, index);
  const served: ServedModel[] = [];
  const rooms: string[] = [];
  const context = {
    ...{ bus, clock, log: createLogger("test", "fatal"), config: loadConfig({}), runtimeId: "r", epochMs },
    recognition: {
      served: (task: string) => served.filter((found) => found.task === task),
      open: () => ({ recognize: () => new Promise(() => undefined), close: () => undefined }),
    },
    speech: { servedModels: () => served.filter(({ task }) => task === "speak") },
    savedVoices: { resolve: () => Promise.resolve([]) },
    usage: { begin: () => () => undefined },
    openRoom: ({ attempt }: { attempt: number }) => {
      rooms.push(`attempt ${attempt}`);
      return Promise.reject(new Error("no room"));
    },
  } as unknown as ConversationContext;
  const outcome = openConversation(context, {
    ...{ plan, attempt: 1 },
    onHandedOver: () => undefined,
    onOver: () => undefined,
  }).then(
    () => "open",
    (error: unknown) => (error instanceof SpeechUnavailable ? "ended" : String(error)),
  );
  const pass = async (durationMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 250) {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      clock.advance(250);
    }
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  const records = async (): Promise<ConversationRecord[]> =>
    (await bus.subjectLog().read<ConversationRecord>(conversationSubject(plan.sessionId))).map(
      ({ message }) => message,
    );
  return { served, rooms, outcome, pass, records };
}

describe("a conversation whose models are gone when it is to be opened", () => {
  it.each([
    ["a recognizer", [model("parley-en", "speak")]],
    ["a voice", [model("parley-asr-en", "transcribe")]],
  ])("ends in its log, never joining its room, where %s is not back within five seconds", async (_, left) => {
    const { served, rooms, outcome, pass, records } = await bench();
    served.push(...left);
    await pass(4750);
    expect((await records()).map(({ type }) => type)).toEqual([]);
    await pass(500);
    expect(await outcome).toBe("ended");
    expect(await records()).toMatchObject([
      { type: "taken", attempt: 1 },
      { type: "ended", reason: "speech_unavailable", detail: expect.stringMatching(/model/) as string },
    ]);
    expect(rooms).toEqual([]);
  });

  it("waits longer for them where the caller is in the room", async () => {
    const { outcome, pass, records } = await bench({ past: ["taken", "caller-joined"] });
    await pass(29_000);
    expect((await records()).map(({ type }) => type)).toEqual(["taken", "caller-joined"]);
    await pass(1500);
    expect(await outcome).toBe("ended");
    expect((await records()).map(({ type }) => type)).toEqual(["taken", "caller-joined", "taken", "ended"]);
  });

  it("waits for one that comes back", async () => {
    const { served, rooms, outcome, pass, records } = await bench();
    await pass(3000);
    served.push(model("parley-en", "speak"), model("parley-asr-en", "transcribe"));
    await pass(500);
    expect(await outcome).toBe("Error: no room");
    expect(rooms).toEqual(["attempt 1"]);
    expect((await records()).map(({ type }) => type)).toEqual(["taken"]);
  });

  it.each([
    ["ahead", [1000, 3_601_000]],
    ["back", [3_601_000, 1000]],
  ])("stamps its records by one look at the time of day, which may be set %s meanwhile", async (_, times) => {
    const looks = [...times];
    const { outcome, pass, records } = await bench({ epochMs: () => looks.shift() ?? times.at(-1) ?? 0 });
    await pass(5250);
    expect(await outcome).toBe("ended");
    expect((await records()).map(({ atEpochMs }) => atEpochMs)).toEqual([times[0], times[0]]);
  });

  it("stamps no record before the last one of the runtime before, whose clock may be ahead", async () => {
    const { outcome, pass, records } = await bench({ past: ["taken", "caller-joined"], epochMs: () => -3_600_000 });
    await pass(30_500);
    expect(await outcome).toBe("ended");
    expect((await records()).map(({ atEpochMs }) => atEpochMs)).toEqual([0, 0, 0, 0]);
  });
});
