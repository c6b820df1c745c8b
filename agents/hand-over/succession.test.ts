import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { type Backlog, takeBacklogSubject } from "#protocol/bus/conversation";
import type { Reply } from "#protocol/bus/control";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { predecessorOf, receivesAll, Succession } from "./succession.js";

const stamp = { id: "", atEpochMs: 0 };
const taken = (runtimeId: string): ConversationRecord => ({ type: "taken", runtimeId, attempt: 1, ...stamp });
const handedOver = (runtimeId: string): ConversationRecord => ({ type: "handed-over", runtimeId, ...stamp });
const joined: ConversationRecord = { type: "caller-joined", ...stamp };

it.each([
  ["nobody", [], null],
  ["nobody where the last runtime died", [taken("a"), joined], null],
  ["the last runtime where it handed it over", [taken("a"), joined, handedOver("a")], "a"],
  ["the same where another one took it and never had it", [taken("a"), handedOver("a"), taken("b")], "a"],
  ["nobody where another one went on and died", [taken("a"), handedOver("a"), taken("b"), joined], null],
])("holds what a caller did meanwhile: %s", (_, past, runtimeId) => {
  expect(predecessorOf(past)).toBe(runtimeId);
});

it.each([
  [false, { sinceJoinedMs: 2999, sinceCallerMs: null, hasAudio: false }],
  [true, { sinceJoinedMs: 3000, sinceCallerMs: null, hasAudio: false }],
  [false, { sinceJoinedMs: 2000, sinceCallerMs: 299, hasAudio: true }],
  [true, { sinceJoinedMs: 400, sinceCallerMs: 300, hasAudio: true }],
  [false, { sinceJoinedMs: 5000, sinceCallerMs: 799, hasAudio: false }],
  [true, { sinceJoinedMs: 800, sinceCallerMs: 800, hasAudio: false }],
])("a runtime receives all that the caller does: %s for %j", (isSo, seen) => {
  expect(receivesAll(seen)).toBe(isSo);
});

describe("a runtime that follows another one", () => {
  const backlog: Backlog = { events: [{ event: { type: "left" }, ageMs: 10 }], audio: new Uint8Array(0) };
  let bus: LocalBus;
  let clock: VirtualClock;
  let happened: string[];

  beforeEach(() => {
    [bus, clock, happened] = [new LocalBus(), new VirtualClock(), []];
  });

  async function pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
      clock.advance(50);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
  }
  function follow(predecessor: string | null): Succession {
    const succession = new Succession({
      ...{ bus, clock, log: createLogger("test", "fatal"), sessionId: "s", predecessor },
      feed: {
        hasAudio: true,
        catchUp: (given, readMs) => happened.push(given === null ? "nothing" : `backlog of ${readMs}`),
      },
      onCaughtUp: () => happened.push("caught up"),
    });
    void succession.earlierDone.then(() => happened.push("earlier one may go"));
    void succession.begin();
    return succession;
  }

  it("asks once it receives all itself, lets the other one go, and waits for what comes late", async () => {
    const asked: object[] = [];
    bus.respond(takeBacklogSubject("a"), async (question: object): Promise<Reply<Backlog>> => {
      asked.push(question);
      return { ok: true, value: backlog };
    });
    const succession = follow("a");
    await pass(500);
    expect([asked, happened]).toEqual([[], []]);
    succession.callerSeen();
    await pass(300);
    expect([asked, happened]).toEqual([[{ sessionId: "s" }], ["earlier one may go"]]);
    await pass(250);
    expect(happened).toHaveLength(1);
    await pass(50);
    expect(happened.slice(1)).toEqual(["backlog of 800", "caught up"]);
  });

  it.each(["has gone", "has nothing"])("goes on without where the other one %s", async (what) => {
    if (what === "has nothing")
      bus.respond(takeBacklogSubject("a"), async () => ({
        ok: false,
        error: toErrorRecord(new ServiceError("not_found")),
      }));
    follow("a").callerSeen();
    await pass(600);
    expect(happened).toEqual(["earlier one may go", "nothing", "caught up"]);
  });

  it("waits for nobody where nothing was handed over", async () => {
    follow(null);
    await pass(5000);
    expect(happened).toEqual(["earlier one may go"]);
  });
});
