import { beforeEach, expect, it } from "vitest";
import { type ConversationRecord, conversationSubject } from "#protocol/bus/conversation-log";
import type { SubjectLog } from "#common/bus/bus";
import { LocalBus } from "#common/bus/testing/local-bus";
import { ConversationGone, readLog, takeLog } from "./take-log.js";

let bus: LocalBus;
let log: SubjectLog;

beforeEach(() => {
  bus = new LocalBus();
  log = bus.subjectLog();
});

let count = 0;
const write = async (record: object): Promise<void> => {
  const subject = conversationSubject("s");
  const last = (await log.read(subject)).at(-1)?.sequence ?? 0;
  await log.append(subject, { id: `${count++}`, atEpochMs: 0, ...record }, last);
};
const types = async (): Promise<string[]> => (await readLog(bus, "s")).map(({ message }) => message.type);
const taking = (attempt: number) => ({ sessionId: "s", runtimeId: "r", attempt, atEpochMs: 5 });
/** Takes the log as it was read when `meanwhile` had not happened yet. */
const take = async (attempt: number, meanwhile: () => Promise<void> = () => Promise.resolve()) => {
  const read = await readLog(bus, "s");
  await meanwhile();
  return await takeLog(bus, taking(attempt), read);
};
const refusal = (error: unknown): string => (error instanceof ConversationGone ? error.outcome : String(error));

it("takes an empty log and one that another runtime left", async () => {
  expect(await take(1)).toEqual({ past: [], after: 1 });
  await write({ type: "caller-joined" });
  const { past, after } = await take(2);
  expect(past.map(({ type }) => type)).toEqual(["taken", "caller-joined"]);
  expect(after).toBe(3);
  expect((await readLog(bus, "s")).at(-1)?.message).toMatchObject({ type: "taken", runtimeId: "r", attempt: 2 });
});

it("takes it from a runtime that still writes, with what that wrote last", async () => {
  await write({ type: "taken", runtimeId: "q", attempt: 1 });
  const { past } = await take(2, async () => {
    await write({ type: "caller-joined" });
    await write({ type: "caller-left" });
  });
  expect(past.map(({ type }) => type)).toEqual(["taken", "caller-joined", "caller-left"]);
  expect(await types()).toEqual(["taken", "caller-joined", "caller-left", "taken"]);
});

it("leaves it to a later attempt, and when it has ended meanwhile", async () => {
  expect(await take(2, () => write({ type: "taken", runtimeId: "q", attempt: 3 })).catch(refusal)).toBe("lost");
  expect(await types()).toEqual(["taken"]);
  expect(await take(4, () => write({ type: "ended", reason: "caller_left", detail: null })).catch(refusal)).toBe(
    "ended",
  );
  expect(await types()).toEqual(["taken", "ended"]);
});

it("has taken it where the server stored the record and said nothing", async () => {
  await write({ type: "caller-joined" });
  let isFirst = true;
  const unheard = {
    subjectLog: (): SubjectLog => ({
      ...log,
      append: async (subject, record, after) => {
        // The first answer is lost, and the record is sent again, as the bus does.
        if (isFirst) await log.append(subject, record, after);
        isFirst = false;
        return await log.append(subject, record, after);
      },
    }),
  };
  const { past, after } = await takeLog(unheard, taking(1), await readLog(bus, "s"));
  expect([past.map(({ type }) => type), after]).toEqual([["caller-joined"], 2]);
  expect(await types()).toEqual(["caller-joined", "taken"]);
});

it("gives up where somebody writes all the time", async () => {
  const busy = {
    subjectLog: (): SubjectLog => ({
      ...log,
      append: async (subject, record, after) => {
        await write({ type: "caller-joined" });
        return await log.append(subject, record, after);
      },
    }),
  };
  await expect(takeLog(busy, taking(1), [])).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(
    new Set((await readLog(bus, "s")).map(({ message }: { message: ConversationRecord }) => message.type)),
  ).toEqual(new Set(["caller-joined"]));
});
