import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { SubjectLog } from "#common/bus/bus";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { LogWriter } from "./log-writer.js";

const subject = "parley.conversation.s";

let bus: LocalBus;
let clock: VirtualClock;
let conflicts: number;
beforeEach(() => {
  bus = new LocalBus();
  clock = new VirtualClock();
  conflicts = 0;
});

function writer(log: SubjectLog = bus.subjectLog(), after = 0): LogWriter {
  return new LogWriter({ log, subject, after, clock, epochMs: () => 5, onConflict: () => conflicts++ });
}

const said = (text: string) => ({ type: "caller-said", turnId: 1, text }) as const;

async function stored(): Promise<string[]> {
  const records = await bus.subjectLog().read<ConversationRecord>(subject);
  return records.map(({ message }) => (message.type === "caller-said" ? message.text : message.type));
}

/** Lets promises go on, and time where they wait for it. */
async function elapse(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 50) {
    await nextTurn();
    clock.advance(50);
  }
  await nextTurn();
}

describe("the writer of a conversation's log", () => {
  it("stores records in order and stamps each", async () => {
    const log = writer();
    for (const text of ["one", "two", "three"]) log.write(said(text));
    await log.settled();
    expect(await stored()).toEqual(["one", "two", "three"]);
    const [first] = await bus.subjectLog().read<ConversationRecord>(subject);
    expect(first?.message).toMatchObject({ atEpochMs: 5, id: expect.stringMatching(/./) });
  });

  it("waits for a server that is away", async () => {
    const log = writer();
    bus.disconnect();
    log.write(said("kept"));
    await elapse(1000);
    bus.reconnect();
    await elapse(1000);
    await log.settled();
    expect(await stored()).toEqual(["kept"]);
    expect(conflicts).toBe(0);
  });

  it("gives way once somebody else has written, and writes no more", async () => {
    const [mine, theirs] = [writer(), writer()];
    mine.write(said("mine"));
    await mine.settled();
    theirs.write(said("theirs"));
    theirs.write(said("more"));
    await theirs.settled();
    mine.write(said("mine again"));
    await mine.settled();
    expect(await stored()).toEqual(["mine", "mine again"]);
    expect(conflicts).toBe(1);
  });

  it("stores a record once whose acknowledgement was lost", async () => {
    const log = bus.subjectLog();
    let isLosing = true;
    const losing: SubjectLog = {
      ...log,
      append: async (of, message, after) => {
        const sequence = await log.append(of, message, after);
        if (!isLosing) return sequence;
        isLosing = false;
        bus.disconnect();
        return await log.append(of, message, sequence);
      },
    };
    const lossy = writer(losing);
    lossy.write(said("once"));
    await elapse(500);
    bus.reconnect();
    lossy.write(said("after"));
    await elapse(1000);
    await lossy.settled();
    expect(await stored()).toEqual(["once", "after"]);
    expect(conflicts).toBe(0);
  });
});
