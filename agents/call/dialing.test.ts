import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { DialRefused } from "#common/livekit/livekit-dialer";
import { LiveKitError } from "#common/livekit/livekit-error";
import { dialStatusOf } from "./dial-status.js";
import { Dialing } from "./dialing.js";

const RING_MS = 30_000;
let clock: VirtualClock;
let story: string[];
/** How the request to dial ends. */
let answer: { resolve(): void; reject(error: unknown): void };
let stored: () => void;

beforeEach(() => {
  [clock, story] = [new VirtualClock(), []];
});

function open({ hasDialed = false } = {}): Dialing {
  const dialing = new Dialing({
    ...{ clock, ringMs: RING_MS, hasDialed },
    recordDialing: () => {
      story.push("recorded");
      return new Promise((resolve) => {
        stored = resolve;
      });
    },
    dial: () => {
      story.push("dialed");
      return new Promise((resolve, reject) => {
        answer = { resolve, reject };
      });
    },
    onResolved: (status) => story.push(status),
  });
  void dialing.begin();
  return dialing;
}

async function dialed(): Promise<Dialing> {
  const dialing = open();
  stored();
  await nextTurn();
  return dialing;
}

describe("an outbound call", () => {
  it("is dialed once its record is stored, and not at all where it is let go of before", async () => {
    const dialing = open();
    await nextTurn();
    expect(story).toEqual(["recorded"]);
    dialing.close();
    stored();
    await nextTurn();
    clock.advance(60_000);
    expect(story).toEqual(["recorded"]);
    await dialed();
    expect(story).toEqual(["recorded", "recorded", "dialed"]);
  });

  it("is answered once, whether the room or the request says so first", async () => {
    const first = await dialed();
    answer.resolve();
    await nextTurn();
    first.answered();
    expect(story).toEqual(["recorded", "dialed", "answered"]);
    const second = await dialed();
    second.answered();
    answer.resolve();
    second.lost("other");
    await nextTurn();
    clock.advance(120_000);
    expect(story.slice(3)).toEqual(["recorded", "dialed", "answered"]);
  });

  it.each([
    [486, "busy"],
    [600, "busy"],
    [603, "busy"],
    [408, "no_answer"],
    [480, "no_answer"],
    [487, "no_answer"],
    [403, "failed"],
    [404, "failed"],
    [503, "failed"],
  ])("that is refused with %i is %s", async (sipStatus, status) => {
    const dialing = await dialed();
    dialing.seen();
    dialing.lost("rejected");
    answer.reject(new DialRefused(sipStatus, "", null));
    await nextTurn();
    expect(story.at(-1)).toBe(status);
    expect(dialStatusOf(sipStatus)).toBe(status);
  });

  it.each([
    ["rejected", "busy"],
    ["unavailable", "no_answer"],
    ["other", "failed"],
  ] as const)("whose line is %s is %s, where nobody says more within two seconds", async (loss, status) => {
    const dialing = await dialed();
    dialing.seen();
    dialing.lost(loss);
    clock.advance(1999);
    expect(story).toEqual(["recorded", "dialed"]);
    clock.advance(1);
    expect(story.at(-1)).toBe(status);
  });

  it("whose request got no answer may ring yet: it has failed where no line shows itself", async () => {
    const ringing = await dialed();
    answer.reject(new LiveKitError("createSipParticipant", null, null));
    await nextTurn();
    ringing.seen();
    clock.advance(20_000);
    ringing.answered();
    expect(story).toEqual(["recorded", "dialed", "answered"]);
    await dialed();
    answer.reject(new LiveKitError("createSipParticipant", 503, null));
    await nextTurn();
    clock.advance(8000);
    expect(story.at(-1)).toBe("failed");
  });

  it("that rings for ever is not answered", async () => {
    const dialing = await dialed();
    dialing.seen();
    clock.advance(RING_MS + 14_999);
    expect(story).toEqual(["recorded", "dialed"]);
    clock.advance(1);
    expect(story.at(-1)).toBe("no_answer");
  });

  it("that another runtime may have dialed is watched, and never dialed again", async () => {
    const answered = open({ hasDialed: true });
    answered.seen();
    clock.advance(9000);
    answered.answered();
    const refused = open({ hasDialed: true });
    refused.lost("rejected");
    open({ hasDialed: true });
    clock.advance(8000);
    await nextTurn();
    expect(story).toEqual(["answered", "busy", "failed"]);
  });
});
