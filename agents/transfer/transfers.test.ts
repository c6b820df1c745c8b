import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { PlannedDestination } from "#protocol/bus/conversation";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { VirtualClock } from "#common/clock";
import { deferred } from "#common/deferred";
import { DialRefused } from "#common/livekit/livekit-dialer";
import { createLogger } from "#common/log";
import type { RoomCallbacks } from "../room/room.js";
import { VirtualTrack } from "../room/testing/virtual-track.js";
import { planOf } from "../testing/plan.js";
import type { Confirmation } from "./confirmation.js";
import { Transfers } from "./transfers.js";

const destination = (name: string, mode: PlannedDestination["mode"], confirms = false): PlannedDestination => ({
  ...{ name, phoneNumber: `+49301000${name.length}`, mode, confirms },
});

const call = {
  ...{ callerNumber: "+4930123456", dialedNumber: "+4930987654", dial: null },
  transfers: {
    destinations: [destination("Sales", "cold"), destination("Doctor", "warm", true), destination("Chief", "warm")],
    ...{ trunkId: "ST_1", fromNumber: "+4930987654", ringMs: 20_000 },
  },
};

/** Transfers with their surroundings, and what came of them in words. */
function bench(past: Partial<ConversationRecord>[] = []) {
  const clock = new VirtualClock();
  const story: string[] = [];
  const [referred, dialed, confirmed] = [deferred<void>(), deferred<void>(), deferred<Confirmation>()];
  const track = (sampleRate: number) => new VirtualTrack(clock, { sampleRate, queueMs: 100 });
  const [callerVoice, legVoice] = [track(24_000), track(RECOGNITION_RATE)];
  let leg: RoomCallbacks | null = null;
  const transfers = new Transfers({
    ...{ clock, past: past as ConversationRecord[], plan: planOf({ call }), log: createLogger("test", "fatal") },
    records: {
      write(record) {
        if (record.type === "transfer-started") story.push(`starts ${record.transferId} ${record.destination}`);
        if (record.type === "transfer-dialed") story.push(`dialed ${record.status}`);
        if (record.type === "transfer-ended") story.push(`ended ${record.outcome}`);
      },
      settled: () => Promise.resolve(),
    },
    refer({ room, identity, toNumber }) {
      story.push(`refers ${identity} of ${room} to ${toNumber}`);
      return referred.promise;
    },
    dial({ fromNumber, toNumber, room }) {
      story.push(`dials ${toNumber} from ${fromNumber} into ${room}`);
      return dialed.promise;
    },
    deleteRoom: async (name) => void story.push(`deletes ${name}`),
    async openRoom({ callbacks }) {
      leg = callbacks;
      const close = async ({ deletesRoom }: { deletesRoom: boolean }) =>
        void story.push(deletesRoom ? "leg hung up" : "leg left");
      return {
        ...{ voice: legVoice, close, setState: () => undefined, publishTranscript: () => undefined },
        sendEvent: () => undefined,
      };
    },
    confirm({ summary }) {
      story.push(`asks: ${summary}`);
      return confirmed.promise;
    },
    voice: () => callerVoice,
    tell: (what) =>
      what({
        input: (input) => void story.push(input.type === "transferred" ? `tells over: ${input.isOver}` : input.type),
        end: (reason) => void story.push(`ends: ${reason}`),
      }),
  });
  const controller = new AbortController();
  const run = async (name: string): Promise<string> => {
    const { status, error } = await transfers.run({ destination: name, summary: " Ann is ill. " }, controller.signal);
    return error ?? status;
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  };
  const legEvents = (): RoomCallbacks => {
    if (leg === null) throw new Error("the leg has no room");
    return leg;
  };
  return {
    ...{
      clock,
      story,
      referred,
      dialed,
      confirmed,
      callerVoice,
      legVoice,
      transfers,
      controller,
      run,
      settle,
      legEvents,
    },
  };
}

const transferred = "tells over: false";

describe("a cold transfer", () => {
  it("is a REFER, behind its record, and ends the conversation", async () => {
    const { run, referred, story, settle } = bench();
    const running = run("Sales");
    await settle();
    expect(story).toEqual(["starts 1 Sales", "refers caller of room-1 to +493010005"]);
    referred.resolve();
    expect(await running).toBe("completed");
    expect(story.slice(2)).toEqual(["ended transferred", "tells over: true"]);
  });

  it.each([
    [486, "busy", /busy/],
    [480, "no_answer", /Nobody answered/],
    [500, "failed", /failed/],
  ])("that is refused with %s leaves the caller here", async (status, outcome, told) => {
    const { run, referred, story } = bench();
    referred.reject(new DialRefused(status, "", null));
    expect(await run("Sales")).toMatch(told);
    expect(story.at(-1)).toBe(`ended ${outcome}`);
  });

  it("has succeeded where the caller's line goes a moment before the answer", async () => {
    const { run, referred, story, transfers, settle } = bench();
    const running = run("Sales");
    await settle();
    transfers.callerLeft(() => story.push("left"));
    await settle();
    expect(story).not.toContain("left");
    referred.resolve();
    await running;
    await settle();
    expect(story.slice(-2)).toEqual(["tells over: true", "left"]);
  });

  it("whose answer never comes does not hide for long that the caller has left", async () => {
    const { run, story, transfers, settle, clock } = bench();
    void run("Sales");
    await settle();
    transfers.callerLeft(() => story.push("left"));
    clock.advance(3000);
    await settle();
    expect(story.at(-1)).toBe("left");
  });
});

describe("a warm transfer", () => {
  it("asks whom it calls, connects them, and is over when they hang up", async () => {
    const { run, dialed, confirmed, story, settle, transfers, legEvents, callerVoice, legVoice, clock } = bench();
    const running = run("Doctor");
    await settle();
    expect(transfers.take(new Int16Array(160))).toBe(false);
    dialed.resolve();
    await settle();
    confirmed.resolve("accepted");
    expect(await running).toBe("completed");
    expect(story).toEqual([
      "starts 1 Doctor",
      "dials +493010006 from +4930987654 into parley-transfer-session-1-1",
      ...["dialed answered", "asks: Ann is ill.", transferred],
    ]);
    expect(transfers.take(new Int16Array(1600).fill(5000))).toBe(true);
    legEvents().onAudio(new Int16Array(1600).fill(7000));
    clock.advance(200);
    expect([Math.max(...legVoice.heard), callerVoice.heard.length]).toEqual([5000, expect.any(Number)]);
    expect(Math.max(...callerVoice.heard)).toBeGreaterThan(6000);
    legEvents().onCallerLeft(true);
    clock.advance(1);
    await settle();
    expect(story.at(-1)).toBe("ends: transferred");
    transfers.close({ isOver: true });
    expect(story.slice(-2)).toEqual(["ended transferred", "leg hung up"]);
  });

  it.each<[Confirmation, string]>([
    ["declined", "ended declined"],
    ["left", "ended declined"],
    ["unanswered", "ended no_answer"],
  ])("that is %s hangs up on them, and not on the caller", async (answer, ended) => {
    const { run, dialed, confirmed, story } = bench();
    dialed.resolve();
    confirmed.resolve(answer);
    expect(await run("Doctor")).toMatch(/still here/);
    expect(story.slice(-2)).toEqual(["leg hung up", ended]);
  });

  it("without a question connects whoever answers, and tells who did not", async () => {
    const answered = bench();
    answered.dialed.resolve();
    expect(await answered.run("Chief")).toBe("completed");
    expect(answered.story.slice(-2)).toEqual(["dialed answered", transferred]);
    const busy = bench();
    busy.dialed.reject(new DialRefused(486, "Busy Here", null));
    expect(await busy.run("Chief")).toMatch(/busy/);
    expect(busy.story.slice(-3)).toEqual(["dialed busy", "leg hung up", "ended busy"]);
  });

  it("is taken back where the caller is gone before somebody answers", async () => {
    const { run, story, settle, controller } = bench();
    const running = run("Chief");
    await settle();
    controller.abort();
    expect(await running).toMatch(/cancelled/);
    expect(story.slice(-2)).toEqual(["leg hung up", "ended cancelled"]);
  });

  it("is not begun without a destination, nor for ever", async () => {
    const past = Array.from({ length: 5 }, () => ({ type: "transfer-started" }) as const);
    expect(await bench().run("Nobody")).toMatch(/no destination/);
    expect(await bench(past).run("Sales")).toMatch(/too often/);
  });
});

describe("a transfer whose runtime is gone", () => {
  const begun = { type: "transfer-started", transferId: 1, mode: "warm" } as const;

  it("goes on where both talked", async () => {
    const { transfers, story, settle, clock, legEvents } = bench([begun, { type: "transfer-connected" }]);
    await transfers.resume();
    legEvents().onCallerJoined();
    clock.advance(20_000);
    await settle();
    expect([transfers.take(new Int16Array(160)), story]).toEqual([true, []]);
    legEvents().onCallerLeft(true);
    clock.advance(1);
    await settle();
    expect(story).toEqual(["ends: transferred"]);
  });

  it("ends where they are gone", async () => {
    const { transfers, story, settle, clock } = bench([begun, { type: "transfer-connected" }]);
    await transfers.resume();
    clock.advance(8000);
    await settle();
    expect(story).toEqual(["ends: transferred"]);
  });

  it("is given up where it was being dialed, and left alone where it was over or cold", async () => {
    const dialing = bench([begun]);
    await dialing.transfers.resume();
    expect(dialing.story).toEqual(["ended failed", "deletes parley-transfer-session-1-1"]);
    for (const past of [[begun, { type: "transfer-ended", transferId: 1 }], [{ ...begun, mode: "cold" }], []]) {
      const over = bench(past as Partial<ConversationRecord>[]);
      await over.transfers.resume();
      expect(over.story).toEqual([]);
    }
  });

  it("is left, not hung up on, where another runtime goes on", async () => {
    const { run, dialed, transfers, story, settle } = bench();
    dialed.resolve();
    await run("Chief");
    transfers.close({ isOver: false });
    await settle();
    expect(story.at(-1)).toBe("leg left");
  });
});
