import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { deferred } from "#common/deferred";
import { confirm } from "./confirmation.js";
import { confirmationOf, confirmationWordsOf } from "./confirmation-words.js";
import type { Leg } from "./leg.js";

/** A question that is being asked. */
function asking() {
  const clock = new VirtualClock();
  const [left, said, controller] = [deferred<void>(), [] as string[], new AbortController()];
  let words: (text: string) => void = () => undefined;
  let isOpen = true;
  const leg: Leg = {
    voice: { sampleRate: 16_000, write: () => Promise.resolve(), queuedMs: () => 0, clear: () => undefined },
    dialed: Promise.resolve({ status: "answered", detail: null }),
    left: left.promise,
    onAudio: () => undefined,
    onKey: () => undefined,
    close: () => Promise.resolve(),
  };
  const answer = confirm({
    ...{ leg, clock, language: "en", summary: "Ann is ill.", signal: controller.signal },
    say: async (text) => void said.push(text),
    listen(onWords) {
      words = onWords;
      const close = (): void => {
        isOpen = false;
      };
      return { push: () => undefined, close };
    },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  return {
    clock,
    leg,
    left,
    said,
    controller,
    answer,
    settle,
    hear: (text: string) => words(text),
    listens: () => isOpen,
  };
}

describe("whoever answers a warm transfer", () => {
  it("hears who calls, and takes them by key or word", async () => {
    const byKey = asking();
    byKey.leg.onKey("5");
    byKey.leg.onKey("1");
    expect([await byKey.answer, byKey.listens()]).toEqual(["accepted", false]);
    const { announcement, question } = confirmationWordsOf("en");
    expect(byKey.said).toEqual([`${announcement} Ann is ill. ${question}`]);
    const byWord = asking();
    byWord.hear("Who is this?");
    byWord.hear("Yes, please.");
    expect(await byWord.answer).toBe("accepted");
  });

  it("may decline, hang up, or be gone with the caller", async () => {
    const [declines, leaves, cancelled] = [asking(), asking(), asking()];
    declines.leg.onKey("2");
    leaves.left.resolve();
    cancelled.hear("yes");
    cancelled.controller.abort();
    expect([await declines.answer, await leaves.answer, await cancelled.answer]).toEqual(["declined", "left", "left"]);
  });

  it("is asked twice, and has not answered then", async () => {
    const { clock, said, answer, settle } = asking();
    await settle();
    clock.advance(8000);
    await settle();
    clock.advance(8000);
    await settle();
    expect([await answer, said.length]).toEqual(["unanswered", 2]);
  });

  it("that is a machine agrees to nothing", () => {
    const greeting = "Yes hello this is the office of Doctor Smith please leave a message after the tone";
    const said = ["Yes.", "yeah sure", "No, sorry", "Ja, gerne", greeting, "maybe"];
    const meanings = said.map((text) => confirmationOf(text, text.startsWith("Ja") ? "de" : "en"));
    expect(meanings).toEqual(["accepted", "accepted", "declined", "accepted", null, null]);
  });
});
