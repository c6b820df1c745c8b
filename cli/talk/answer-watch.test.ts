import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { AnswerWatch } from "./answer-watch.js";

function scene() {
  const clock = new VirtualClock();
  const watch = new AnswerWatch(clock);
  /** Whether the next line could be sent now. */
  const isQuietAfter = async (durationMs: number): Promise<boolean> => {
    let isQuiet = false;
    void watch.quiet().then(() => {
      isQuiet = true;
    });
    clock.advance(durationMs);
    await Promise.resolve();
    await Promise.resolve();
    return isQuiet;
  };
  return { watch, isQuietAfter };
}

describe("the next line of a script", () => {
  it("waits for the greeting, until its text is whole and the agent listens", async () => {
    const { watch, isQuietAfter } = scene();
    watch.stateChanged("initializing");
    expect(await isQuietAfter(60_000)).toBe(false);
    for (const state of ["thinking", "speaking"]) watch.stateChanged(state);
    watch.utteranceChanged("begun");
    watch.stateChanged("listening");
    expect(await isQuietAfter(60_000)).toBe(false);
    watch.utteranceChanged("whole");
    expect(await isQuietAfter(299)).toBe(false);
    expect(await isQuietAfter(1)).toBe(true);
  });

  it("waits for nothing where an agent does not greet", async () => {
    const { watch, isQuietAfter } = scene();
    watch.stateChanged("listening");
    expect(await isQuietAfter(300)).toBe(true);
  });

  it("waits for the answer to the one before, but not for ever", async () => {
    const { watch, isQuietAfter } = scene();
    watch.stateChanged("listening");
    watch.asked();
    expect(await isQuietAfter(19_999)).toBe(false);
    watch.stateChanged("thinking");
    watch.stateChanged("speaking");
    expect(await isQuietAfter(60_000)).toBe(false);
    watch.stateChanged("listening");
    expect(await isQuietAfter(300)).toBe(true);
    watch.asked();
    expect(await isQuietAfter(20_299)).toBe(false);
    expect(await isQuietAfter(1)).toBe(true);
  });

  it("waits for nobody once the conversation is over", async () => {
    const { watch, isQuietAfter } = scene();
    watch.asked();
    watch.end();
    expect(await isQuietAfter(0)).toBe(true);
  });
});
