import { describe, expect, it } from "vitest";
import { TestDialogue } from "./testing/test-dialogue.js";

describe("a turn of the caller", () => {
  it("is over when the pause is long enough, and not before", () => {
    const talk = TestDialogue.joined();
    talk.says("I want a table for tonight.");
    talk.passes(349);
    expect(talk.recorded("caller-said")).toEqual([]);
    talk.passes(1);
    expect(talk.recorded("caller-said")).toMatchObject([{ turnId: 1, text: "I want a table for tonight." }]);
    expect(talk.states).toEqual(["listening", "thinking"]);
  });

  it("gathers what comes in several pieces", () => {
    const talk = TestDialogue.joined();
    talk.says("I want a table");
    talk.passes(100);
    talk.says("for tonight.");
    talk.passes(1000);
    expect(talk.lines).toEqual(["caller: I want a table for tonight."]);
  });

  it("is one turn however long they speak without a pause, and no silence meanwhile", () => {
    const talk = TestDialogue.joined({ hangUpAfterMs: 10_000, reengages: true });
    talk.input({ type: "speech-started" });
    for (let part = 1; part <= 40; part++) {
      talk.passes(15_000);
      talk.input({ type: "transcript", text: `This is part ${part}.` });
    }
    expect([talk.end, talk.all("ask-model").length, talk.recorded("caller-said").length]).toEqual([null, 0, 0]);
    talk.pauses("That was all.");
    talk.passes(2000);
    const [said, ...others] = talk.recorded("caller-said");
    expect(others).toEqual([]);
    expect(said?.text).toMatch(/^This is part 1\. .* This is part 40\. That was all\.$/);
    expect(talk.all("ask-model")).toHaveLength(1);
  });

  it("waits for unfinished words", () => {
    const talk = TestDialogue.joined();
    talk.says("I want a table for");
    talk.passes(1000);
    expect(talk.lines).toEqual([]);
    talk.passes(200);
    expect(talk.lines).toEqual(["caller: I want a table for"]);
  });

  it("waits for recognition, but not for ever", () => {
    const talk = TestDialogue.joined();
    talk.input({ type: "speech-started" });
    talk.passes(500);
    talk.input({ type: "partial", text: "I want a table" });
    talk.input({ type: "speech-paused", lastVoicedMs: talk.nowMs });
    talk.passes(2999);
    expect(talk.lines).toEqual([]);
    talk.passes(1);
    expect(talk.lines).toEqual(["caller: I want a table"]);
  });

  it("is none when nothing was understood", () => {
    const talk = TestDialogue.joined();
    talk.says("");
    talk.passes(5000);
    expect(talk.lines).toEqual([]);
    expect(talk.all("ask-model")).toEqual([]);
  });

  it("is a typed message at once", () => {
    const talk = TestDialogue.joined();
    talk.input({ type: "typed", text: "A table, please." });
    expect(talk.request.history).toMatchObject([{ role: "caller", turnId: 1, text: "A table, please." }]);
    talk.answers("Gladly.");
    expect(talk.spoken).toEqual(["Gladly."]);
  });

  it("is not published where it was typed: the caller's program shows what it sends", () => {
    const talk = TestDialogue.joined();
    talk.input({ type: "typed", text: "A table, please." });
    talk.answers("Gladly.");
    talk.heard("Gladly");
    talk.playsAll();
    expect(talk.all("publish-transcript").map(({ speaker, text }) => `${speaker}: ${text}`)).not.toContainEqual(
      expect.stringMatching(/^caller/),
    );
    expect(talk.lines).toEqual(["caller: A table, please.", "agent: Gladly."]);
  });

  it("is published as far as it was spoken where somebody speaks and types", () => {
    const talk = TestDialogue.joined();
    talk.input({ type: "speech-started" });
    talk.input({ type: "partial", text: "I want" });
    talk.input({ type: "typed", text: "A table." });
    talk.pauses("");
    talk.passes(3000);
    expect(talk.lines[0]).toBe("caller: I want\nA table.");
    const shown = talk.all("publish-transcript").filter(({ speaker }) => speaker === "caller");
    expect(shown.map(({ text, isFinal }) => [text, isFinal])).toEqual([
      ["I want", false],
      ["I want", true],
    ]);
  });

  it("shows its words as they come, and what they are in the end", () => {
    const talk = TestDialogue.joined();
    talk.input({ type: "speech-started" });
    talk.input({ type: "partial", text: "I won" });
    talk.input({ type: "partial", text: "I want" });
    talk.pauses("I want it.");
    talk.passes(1000);
    const shown = talk.all("publish-transcript").map(({ text, isFinal }) => [text, isFinal]);
    expect(shown).toEqual([
      ["I won", false],
      ["I want", false],
      ["I want it.", false],
      ["I want it.", true],
    ]);
    expect(new Set(talk.all("publish-transcript").map(({ segmentId }) => segmentId)).size).toBe(1);
  });
});

describe("a question that is asked before the turn is over", () => {
  it("is asked in the first pause, and answered when the turn is over", () => {
    const talk = TestDialogue.joined();
    talk.says("What time is it?");
    expect(talk.request.history).toMatchObject([{ role: "caller", turnId: 1, text: "What time is it?" }]);
    talk.answers("Seven.");
    expect(talk.spoken).toEqual([]);
    talk.passes(350);
    expect(talk.spoken).toEqual(["Seven."]);
    expect(talk.all("ask-model")).toHaveLength(1);
    const order = talk.records.map(({ type }) => type);
    expect(order.indexOf("caller-said")).toBeLessThan(order.indexOf("reply-started"));
  });

  it("is dropped when the caller says more", () => {
    const talk = TestDialogue.joined();
    talk.says("What time is it");
    const { requestId } = talk.request;
    talk.answers("Seven.");
    talk.passes(100);
    talk.says("in Tokyo?");
    expect(talk.all("drop-request")).toMatchObject([{ requestId }]);
    talk.answers("Four in the morning.");
    talk.passes(1000);
    expect(talk.spoken).toEqual(["Four in the morning."]);
    expect(talk.request.history).toMatchObject([{ text: "What time is it in Tokyo?" }]);
  });

  it("stands when more speech brings no words", () => {
    const talk = TestDialogue.joined();
    talk.says("What time is it?");
    talk.answers("Seven.");
    talk.passes(100);
    talk.says("", 200);
    talk.passes(1000);
    expect(talk.all("ask-model")).toHaveLength(1);
    expect(talk.all("drop-request")).toEqual([]);
    expect(talk.spoken).toEqual(["Seven."]);
  });

  it("calls no tool before the turn is over", () => {
    const talk = TestDialogue.joined({
      tools: new Map([["lookup", { mode: "blocking", source: "webhook", isRepeatable: false }]]),
    });
    talk.says("What time is it?");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    expect(talk.all("call-tool")).toEqual([]);
    talk.passes(350);
    expect(talk.all("call-tool")).toHaveLength(1);
  });

  it("is dropped while the agent is thinking, when the caller goes on after all", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("I want a table");
    const { requestId } = talk.request;
    talk.says("for six people");
    talk.input({ type: "model-text", requestId, text: "too late" });
    talk.passes(1000);
    expect(talk.spoken).toEqual([]);
    expect(talk.lines).toEqual(["caller: I want a table", "caller: for six people"]);
    talk.answers("Gladly.");
    expect(talk.spoken).toEqual(["Gladly."]);
  });
});

describe("the latency of a turn", () => {
  it("is measured from the last voiced frame to the first audible one", () => {
    const talk = TestDialogue.joined();
    talk.says("What time is it?");
    talk.passes(400);
    talk.modelSays("It is");
    talk.passes(100);
    talk.modelSays(" seven.");
    talk.passes(150);
    talk.heard("It");
    expect(talk.all("report-latency")).toMatchObject([
      {
        turnId: 1,
        latency: {
          totalMs: 850,
          endpointingMs: 550,
          recognitionMs: 200,
          modelFirstTokenMs: 400,
          firstClauseMs: 100,
          firstAudioMs: 150,
        },
      },
    ]);
    expect(talk.recorded("turn-latency")).toHaveLength(1);
    talk.playsAll();
    expect(talk.all("report-latency")).toHaveLength(1);
  });

  it("is not that of what the agent says of itself later", () => {
    const talk = TestDialogue.joined({ reengages: true });
    talk.takesTurn("Thanks.");
    talk.modelFinishes();
    talk.passes(30_000);
    talk.answers("Are you there?");
    talk.playsAll();
    expect(talk.spoken).toEqual(["Are you there?"]);
    expect(talk.all("report-latency")).toEqual([]);
  });
});
