import { describe, expect, it } from "vitest";
import { phrasesOf } from "./language/phrases.js";
import { TestDialogue } from "./testing/test-dialogue.js";

describe("the first message", () => {
  it("is what is configured", () => {
    const talk = TestDialogue.joined({ firstMessage: { mode: "fixed", text: "Hello there." } });
    expect(talk.spoken).toEqual(["Hello there."]);
    expect(talk.all("finish-reply")).toHaveLength(1);
    talk.playsAll();
    expect(talk.lines).toEqual(["agent: Hello there."]);
    expect(talk.recorded("reply-started")).toMatchObject([{ turnId: 0, responder: "fixed" }]);
  });

  it("is the model's where it is prompted", () => {
    const talk = TestDialogue.joined({ firstMessage: { mode: "prompt", instruction: "Greet." } });
    expect(talk.request).toMatchObject({ history: [], instruction: "Greet." });
    expect(talk.states).toEqual(["thinking"]);
    talk.answers("Good day.");
    expect(talk.spoken).toEqual(["Good day."]);
  });

  it("is left to the caller where it is off", () => {
    const talk = TestDialogue.joined();
    expect(talk.actions.map(({ type }) => type)).toEqual(["record", "set-state"]);
  });

  it("comes when somebody has joined", () => {
    const talk = TestDialogue.start({ firstMessage: { mode: "fixed", text: "Hello there." } });
    expect(talk.dialogue.nextWakeMs()).toBeNull();
    talk.input({ type: "typed", text: "Hello?" });
    expect(talk.actions).toEqual([]);
    talk.input({ type: "end", reason: "never_joined", detail: null, isPolite: true });
    expect(talk.end).toBe("never_joined");
  });
});

describe("a reply", () => {
  it("is spoken as the model writes it, and over when all of it was heard", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.modelSays(" At");
    talk.modelSays(" seven.");
    expect(talk.all("speak").map(({ text }) => text)).toEqual(["At", " seven."]);
    talk.modelFinishes();
    expect(talk.recorded("reply-ended")).toEqual([]);
    talk.playsAll();
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "At seven.", isInterrupted: false }]);
    expect(talk.states).toEqual(["listening", "thinking", "speaking", "listening"]);
    expect(talk.recorded("reply-started")).toMatchObject([{ responder: "test-model", turnId: 1 }]);
  });

  it("shows its text in step with what is heard", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers("At seven.");
    talk.heard("At");
    talk.playsAll();
    const shown = talk.all("publish-transcript").filter(({ speaker }) => speaker === "agent");
    expect(shown.map(({ text, isFinal }) => [text, isFinal])).toEqual([
      ["At", false],
      ["At seven.", false],
      ["At seven.", true],
    ]);
  });

  it("has in the history and in the record what was heard, word by word", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers("At seven in the morning.");
    talk.heard("At");
    talk.passes(100);
    talk.heard("At seven");
    talk.passes(100);
    talk.heard("At seven");
    talk.heard("At seven in");
    expect(talk.recorded("reply-heard").map(({ characters }) => characters)).toEqual([2, 8, 11]);
    expect(talk.lines.at(-1)).toBe("agent: At seven in");
  });

  it("may be nothing at all", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Thanks.");
    talk.modelFinishes();
    expect(talk.spoken).toEqual([]);
    expect(talk.states.at(-1)).toBe("listening");
    expect(talk.resumedElsewhere().all("ask-model")).toEqual([]);
  });
});

describe("a model that fails", () => {
  const { apology, lastSentence } = phrasesOf("en");

  it("is apologized for once", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.modelFails();
    expect(talk.spoken).toEqual([apology]);
    talk.playsAll();
    talk.takesTurn("When?");
    talk.answers("At seven.");
    talk.playsAll();
    talk.takesTurn("Sure?");
    talk.modelFails();
    expect(talk.spoken).toEqual([apology, "At seven.", apology]);
    expect(talk.end).toBeNull();
  });

  it("ends the conversation the second time in a row", () => {
    const talk = TestDialogue.joined({ language: "de" });
    talk.takesTurn("Wann?");
    talk.modelFails("503");
    talk.playsAll();
    talk.takesTurn("Wann?");
    talk.modelFails("504");
    expect(talk.spoken).toEqual([phrasesOf("de").apology, phrasesOf("de").lastSentence]);
    expect(talk.end).toBeNull();
    talk.playsAll();
    expect(talk.end).toBe("llm_endpoint_failure");
    expect(talk.recorded("ended")).toMatchObject([{ detail: "504" }]);
    expect(lastSentence).not.toBe(phrasesOf("de").lastSentence);
  });

  it("in the middle of a reply leaves what was said", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.modelSays("At seven");
    talk.modelFails();
    expect(talk.spoken).toEqual([`At seven ${apology}`]);
  });

  it("before the turn is over is nothing if the caller goes on", () => {
    const talk = TestDialogue.joined();
    talk.says("When");
    talk.modelFails();
    talk.says("does it leave?");
    talk.answers("At seven.");
    talk.passes(1000);
    expect(talk.spoken).toEqual(["At seven."]);
  });
});

describe("a voice that fails", () => {
  it("ends the reply, and the second time the conversation", () => {
    const talk = TestDialogue.joined();
    for (const isLast of [false, true]) {
      talk.takesTurn("When?");
      talk.answers("At seven.");
      talk.input({ type: "speech-failed", replyId: talk.all("speak").at(-1)?.replyId ?? "", detail: "no worker" });
      expect(talk.end).toBe(isLast ? "error" : null);
    }
    expect(talk.recorded("reply-ended")).toMatchObject([
      { text: "", isInterrupted: true },
      { text: "", isInterrupted: true },
    ]);
  });
});
