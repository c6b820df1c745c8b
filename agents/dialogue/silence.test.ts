import { describe, expect, it } from "vitest";
import type { DialogueSettings } from "./settings.js";
import { TestDialogue } from "./testing/test-dialogue.js";

/** The agent has answered, and the caller has heard it. */
function answered(settings: Partial<DialogueSettings>): TestDialogue {
  const talk = TestDialogue.joined(settings);
  talk.takesTurn("When does it leave?");
  talk.answers("At seven.");
  talk.playsAll();
  return talk;
}

describe("silence of the caller", () => {
  it("ends the conversation", () => {
    const talk = answered({ hangUpAfterMs: 20_000 });
    talk.passes(19_999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("silence");
  });

  it("ends the conversation of a caller who never said anything", () => {
    const talk = TestDialogue.joined({ firstMessage: { mode: "fixed", text: "Hello there." }, hangUpAfterMs: 20_000 });
    talk.playsAll();
    talk.passes(19_999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("silence");
    expect(talk.recorded("caller-said")).toEqual([]);
  });

  it("is broken by words, by typing and by activity", () => {
    const talk = answered({ hangUpAfterMs: 20_000 });
    talk.passes(15_000);
    talk.input({ type: "activity" });
    talk.passes(15_000);
    talk.input({ type: "typed", text: "Hm." });
    talk.answers("Yes?");
    talk.playsAll();
    talk.passes(19_999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("silence");
  });

  it("does not count while the agent speaks or thinks", () => {
    const talk = answered({ hangUpAfterMs: 10_000 });
    talk.takesTurn("Tell me more.");
    talk.passes(15_000);
    talk.answers("It is a long story.");
    talk.passes(15_000);
    expect(talk.end).toBeNull();
    talk.playsAll();
    talk.passes(9999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("silence");
  });

  it("ends with a goodbye where one is wanted", () => {
    const talk = answered({ hangUpAfterMs: 20_000, saysFarewell: true });
    talk.passes(20_000);
    expect(talk.request.instruction).toContain("goodbye");
    talk.answers("Goodbye.");
    expect(talk.end).toBeNull();
    talk.playsAll();
    expect(talk.end).toBe("silence");
  });

  it("ends without the goodbye when the model fails", () => {
    const talk = answered({ hangUpAfterMs: 20_000, saysFarewell: true });
    talk.passes(20_000);
    talk.modelFails();
    expect(talk.end).toBe("silence");
    expect(talk.spoken).toEqual(["At seven."]);
  });

  it("goes on when the caller answers the goodbye", () => {
    const talk = answered({ hangUpAfterMs: 20_000, saysFarewell: true });
    talk.passes(20_000);
    talk.answers("Goodbye then.");
    talk.heard("Good");
    talk.takesTurn("Wait, I am still here.");
    expect(talk.end).toBeNull();
    expect(talk.request.instruction).toBeNull();
  });
});

describe("an agent that speaks up", () => {
  it("does so in time, and leaves time to answer", () => {
    const talk = answered({ hangUpAfterMs: 30_000, reengages: true });
    talk.passes(11_999);
    expect(talk.all("ask-model")).toHaveLength(1);
    talk.passes(1);
    expect(talk.request.instruction).toContain("silent");
    talk.answers("Are you there?");
    talk.passes(17_000);
    talk.playsAll();
    talk.passes(4999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("silence");
  });

  it("does so after eight seconds at the earliest", () => {
    const talk = answered({ hangUpAfterMs: 10_000, reengages: true });
    talk.passes(7999);
    expect(talk.all("ask-model")).toHaveLength(1);
    talk.passes(1);
    expect(talk.all("ask-model")).toHaveLength(2);
  });

  it.each([10, 20, 30, 60, 600, 3600])("does so twice at most before it hangs up after %s s", (seconds) => {
    const talk = answered({ hangUpAfterMs: seconds * 1000, reengages: true, maxDurationMs: 1e8 });
    const answeredMs = talk.nowMs;
    for (let asked = 1; talk.end === null; talk.passes(100)) {
      if (talk.all("ask-model").length === asked) continue;
      asked++;
      talk.answers("Are you there?");
      talk.playsAll();
    }
    expect(talk.all("ask-model").length - 1).toBe(seconds < 20 ? 1 : 2);
    expect(talk.end).toBe("silence");
    expect(talk.nowMs - answeredMs).toBeLessThan(seconds * 1000 + 5000);
  });
});

describe("the longest duration", () => {
  it("ends a conversation", () => {
    const talk = answered({ maxDurationMs: 30_000 });
    talk.passes(30_000 - talk.nowMs - 1);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("max_duration");
  });

  it("lets a reply be finished", () => {
    const talk = TestDialogue.joined({ maxDurationMs: 30_000 });
    talk.takesTurn("When?");
    talk.answers("At seven.");
    talk.heard("At");
    talk.passes(30_000);
    expect(talk.end).toBeNull();
    talk.playsAll();
    expect(talk.end).toBe("max_duration");
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "At seven.", isInterrupted: false }]);
  });

  it("ends a conversation in the middle of what a caller says", () => {
    const talk = TestDialogue.joined({ maxDurationMs: 300_000 });
    talk.input({ type: "speech-started" });
    for (let part = 1; part <= 19; part++) {
      talk.passes(15_000);
      talk.input({ type: "transcript", text: `This is part ${part}.` });
    }
    talk.passes(14_999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("max_duration");
  });

  it("waits ten seconds for it", () => {
    const talk = TestDialogue.joined({ maxDurationMs: 30_000 });
    talk.takesTurn("When?");
    talk.answers("At seven.");
    talk.heard("At");
    talk.passes(30_000 - talk.nowMs + 9999);
    expect(talk.end).toBeNull();
    talk.passes(1);
    expect(talk.end).toBe("max_duration");
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "At", isInterrupted: true }]);
  });
});

describe("an end from outside", () => {
  it("waits for what is being said only where it is polite", () => {
    for (const isPolite of [true, false]) {
      const talk = TestDialogue.joined();
      talk.takesTurn("When?");
      talk.answers("At seven.");
      talk.heard("At");
      talk.input({ type: "end", reason: "requested", detail: null, isPolite });
      expect(talk.end).toBe(isPolite ? null : "requested");
      if (isPolite) talk.playsAll();
      expect(talk.end).toBe("requested");
    }
  });
});
