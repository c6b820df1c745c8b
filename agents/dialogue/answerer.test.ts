import { describe, expect, it } from "vitest";
import type { DialogueSettings } from "./settings.js";
import { TestDialogue } from "./testing/test-dialogue.js";

const fixed: Partial<DialogueSettings> = {
  voicemail: { mode: "fixed", text: "Please call us back." },
  firstMessage: { mode: "fixed", text: "Hello, this is Ada." },
};
const prompted: Partial<DialogueSettings> = { ...fixed, voicemail: { mode: "prompt", instruction: "Ask for a call." } };

const answeredBy = (talk: TestDialogue, who: "human" | "voicemail" | "unknown") =>
  talk.input({ type: "answered-by", answeredBy: who });
const spoken = (talk: TestDialogue): string =>
  talk
    .all("speak")
    .map(({ text }) => text)
    .join("");

describe("an agent that finds out who answered its call", () => {
  it("is silent until it knows, and greets a person with what they said before", () => {
    const talk = TestDialogue.joined(fixed);
    talk.says("hello smith speaking");
    talk.passes(5000);
    expect([spoken(talk), talk.all("ask-model"), talk.dialogue.isIdle]).toEqual(["", [], false]);
    answeredBy(talk, "human");
    expect(spoken(talk)).toBe("Hello, this is Ada.");
    expect(talk.recorded("answerer-detected")).toMatchObject([{ answeredBy: "human" }]);
    expect(talk.recorded("caller-said")).toMatchObject([{ turnId: 1, text: "hello smith speaking" }]);
    expect(talk.recorded("reply-started")).toMatchObject([{ turnId: 1 }]);
    talk.playsAll();
    talk.passes(3000);
    expect(talk.all("ask-model")).toEqual([]);
  });

  it("has the model greet them where it is to, and answer them where nobody greets", () => {
    const greeting = TestDialogue.joined({ ...fixed, firstMessage: { mode: "prompt", instruction: "Greet." } });
    greeting.says("hello");
    answeredBy(greeting, "human");
    expect(greeting.all("ask-model")).toMatchObject([{ instruction: "Greet.", history: [{ text: "hello" }] }]);
    const silent = TestDialogue.joined({ ...fixed, firstMessage: { mode: "off" } });
    silent.says("who is this");
    silent.passes(2000);
    answeredBy(silent, "human");
    expect(silent.all("ask-model")).toMatchObject([{ instruction: null, history: [{ text: "who is this" }] }]);
  });

  it("begins to speak to somebody who says nothing", () => {
    const talk = TestDialogue.joined(fixed);
    answeredBy(talk, "unknown");
    expect([spoken(talk), talk.recorded("caller-said")]).toEqual(["Hello, this is Ada.", []]);
  });

  it("hangs up on a machine", () => {
    const talk = TestDialogue.joined({ ...fixed, voicemail: { mode: "off" } });
    talk.says("you have reached the mailbox of");
    answeredBy(talk, "voicemail");
    expect([talk.end, spoken(talk), talk.recorded("caller-said")]).toEqual(["voicemail", "", []]);
  });

  it("leaves its message when the machine records, to its end, whatever the machine says meanwhile", () => {
    const talk = TestDialogue.joined(fixed);
    answeredBy(talk, "voicemail");
    talk.says("please leave a message after the tone");
    talk.passes(8000);
    expect([spoken(talk), talk.end]).toEqual(["", null]);
    talk.input({ type: "recording" });
    expect(spoken(talk)).toBe("Please call us back.");
    talk.input({ type: "speech-started" });
    talk.says("stop stop stop");
    expect([talk.all("pause-reply"), talk.all("stop-reply"), talk.end]).toEqual([[], [], null]);
    talk.playsAll();
    expect(talk.end).toBe("voicemail");
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "Please call us back.", isInterrupted: false }]);
  });

  it("asks the model for the message while the machine still greets, and says it after the beep", () => {
    const talk = TestDialogue.joined(prompted);
    answeredBy(talk, "voicemail");
    const [request] = talk.all("ask-model");
    expect(request?.instruction).toMatch(/answering machine.*Ask for a call\.$/);
    talk.answers("Hi, please call Ada.");
    expect(spoken(talk)).toBe("");
    talk.input({ type: "recording" });
    expect(spoken(talk)).toBe("Hi, please call Ada.");
    talk.playsAll();
    expect(talk.end).toBe("voicemail");
  });

  it("hangs up where the model has no message", () => {
    const talk = TestDialogue.joined(prompted);
    answeredBy(talk, "voicemail");
    talk.input({ type: "model-failed", requestId: talk.all("ask-model").at(-1)?.requestId ?? "", detail: "503" });
    talk.input({ type: "recording" });
    expect([spoken(talk), talk.end]).toEqual(["", "voicemail"]);
  });

  it("knows who answered only once, and not where nobody asks", () => {
    const talk = TestDialogue.joined(fixed);
    answeredBy(talk, "human");
    answeredBy(talk, "voicemail");
    expect([talk.end, talk.recorded("answerer-detected")]).toMatchObject([null, [{ answeredBy: "human" }]]);
    const other = TestDialogue.joined({ ...fixed, voicemail: null });
    expect(spoken(other)).toBe("Hello, this is Ada.");
    answeredBy(other, "voicemail");
    expect([other.end, other.recorded("answerer-detected")]).toEqual([null, []]);
  });

  it("goes on elsewhere: unknown who answers, with the rest of the message, or with nothing after it", () => {
    const talk = TestDialogue.joined(fixed).resumedElsewhere();
    expect(talk.recorded("answerer-detected")).toMatchObject([{ answeredBy: "unknown" }]);
    expect(spoken(talk)).toBe("Hello, this is Ada.");
    const machine = TestDialogue.joined(fixed);
    answeredBy(machine, "voicemail");
    const early = machine.resumedElsewhere();
    expect(spoken(early)).toBe("Please call us back.");
    machine.input({ type: "recording" });
    machine.heard("Please call");
    const late = machine.resumedElsewhere();
    expect(spoken(late)).toBe(" us back.");
    late.playsAll();
    expect(late.end).toBe("voicemail");
  });
});
