import { describe, expect, it } from "vitest";
import type { DialogueSettings } from "./settings.js";
import { completed, hangUpTool, TestDialogue, tool } from "./testing/test-dialogue.js";

/** A conversation in which the caller has asked for an answer to read. */
function asked(settings: Partial<DialogueSettings> = {}, text = "When does the train leave?"): TestDialogue {
  const talk = TestDialogue.joined(settings);
  talk.passes(1000);
  talk.input({ type: "typed", text, isTextOnly: true });
  return talk;
}

/** What was published of the agent, in order; a final text ends in `|`. */
const published = (talk: TestDialogue): string[] =>
  talk
    .all("publish-transcript")
    .filter(({ speaker }) => speaker === "agent")
    .map(({ text, isFinal }) => `${text}${isFinal ? "|" : ""}`);

/** What only a voice does. */
const voiced = ["speak", "finish-reply", "pause-reply", "resume-reply", "stop-reply"] as const;
const voicedActions = (talk: TestDialogue): string[] => voiced.flatMap((type) => talk.all(type).map(() => type));

describe("an answer that the caller wants to read", () => {
  it("is published by sentences, is final at its end, and is never spoken", () => {
    const talk = asked();
    talk.modelSays("It leaves at ");
    expect(published(talk)).toEqual([]);
    talk.modelSays("seven. It stops in two");
    expect(published(talk)).toEqual(["It leaves at seven."]);
    talk.modelSays(" towns");
    expect(talk.lines).toEqual(["caller: When does the train leave?", "agent: It leaves at seven."]);
    talk.modelFinishes();
    expect(published(talk).at(-1)).toBe("It leaves at seven. It stops in two towns|");
    expect(voicedActions(talk)).toEqual([]);
    expect(talk.lines).toEqual([
      "caller: When does the train leave?",
      "agent: It leaves at seven. It stops in two towns",
    ]);
    expect(talk.recorded("reply-ended")).toMatchObject([{ isInterrupted: false }]);
    expect(talk.states.slice(-2)).toEqual(["thinking", "listening"]);
  });

  it("has its latency measured to the first published text, with no part for audio", () => {
    const talk = asked();
    talk.passes(300);
    talk.modelSays("At ");
    talk.passes(50);
    talk.modelSays("seven. ");
    expect(talk.all("report-latency")).toMatchObject([
      { turnId: 1, latency: { totalMs: 350, endpointingMs: null, modelFirstTokenMs: 300, firstAudioMs: null } },
    ]);
    talk.modelFinishes();
    expect(talk.recorded("turn-latency")).toHaveLength(1);
  });

  it("holds for that turn alone: the next one is spoken", () => {
    const talk = asked();
    talk.answers("At seven.");
    talk.input({ type: "typed", text: "And back?" });
    talk.answers("At nine.");
    expect(talk.spoken).toEqual(["At nine."]);
    expect(talk.recorded("caller-said").map(({ isTextOnly = false }) => isTextOnly)).toEqual([true, false]);
    expect(talk.recorded("reply-started").map(({ isTextOnly = false }) => isTextOnly)).toEqual([true, false]);
  });

  it("is followed by a spoken one where the caller speaks", () => {
    const talk = asked();
    talk.answers("At seven.");
    talk.takesTurn("And back?");
    talk.answers("At nine.");
    expect(talk.spoken).toEqual(["At nine."]);
  });

  it("takes the place of a spoken reply, which falls silent", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Tell me a story.");
    talk.answers("Once there was a king.");
    talk.heard("Once there");
    talk.input({ type: "typed", text: "Stop. When does it leave?", isTextOnly: true });
    talk.answers("At seven.");
    expect(talk.all("stop-reply")).toHaveLength(1);
    expect(talk.spoken).toEqual(["Once there was a king."]);
    expect(talk.lines.at(-1)).toBe("agent: At seven.");
  });

  it("waits for a reply that must not be interrupted", () => {
    const talk = TestDialogue.joined({ isInterruptible: false });
    talk.takesTurn("Tell me a story.");
    talk.answers("Once there was a king.");
    talk.heard("Once there");
    talk.input({ type: "typed", text: "When does it leave?", isTextOnly: true });
    expect(talk.all("ask-model")).toHaveLength(1);
    talk.playsAll();
    talk.answers("At seven.");
    expect(published(talk).at(-1)).toBe("At seven.|");
    expect(talk.spoken).toHaveLength(1);
  });

  it.each([
    ["user.interrupt", (talk: TestDialogue) => void talk.input({ type: "interrupt" })],
    ["words", (talk: TestDialogue) => talk.says("No, the bus please.")],
    ["another message", (talk: TestDialogue) => void talk.input({ type: "typed", text: "The bus.", isTextOnly: true })],
  ])("is cut by %s after what was published of it", (_, interrupts) => {
    const talk = asked();
    talk.modelSays("It leaves at seven. It stops in");
    interrupts(talk);
    talk.passes(2000);
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "It leaves at seven.", isInterrupted: true }]);
    expect(published(talk)).toEqual(["It leaves at seven.", "It leaves at seven.|"]);
    expect(talk.lines[1]).toBe("agent: It leaves at seven.—");
    expect(voicedActions(talk)).toEqual([]);
  });

  it("waits while the caller speaks, and goes on after a backchannel", () => {
    const talk = asked();
    talk.modelSays("It leaves at seven. ");
    talk.input({ type: "speech-started" });
    expect(talk.states.at(-1)).toBe("listening");
    talk.answers("It stops twice.");
    expect(published(talk)).toEqual(["It leaves at seven."]);
    talk.passes(200);
    talk.pauses("mhm");
    expect(published(talk).at(-1)).toBe("It leaves at seven. It stops twice.|");
    expect(voicedActions(talk)).toEqual([]);
  });

  it("waits for a caller who is away", () => {
    const talk = asked();
    talk.input({ type: "caller-left" });
    talk.answers("At seven.");
    expect(published(talk)).toEqual([]);
    talk.passes(1000);
    talk.input({ type: "caller-joined" });
    expect(published(talk)).toEqual(["At seven.", "At seven.|"]);
  });

  it("shows what the model says before it calls a tool, the filler, and what comes of the call", () => {
    const talk = asked({ tools: new Map([["lookup", tool("blocking")]]) });
    talk.modelSays("Let me look");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    expect(published(talk)).toEqual(["Let me look"]);
    expect(talk.states.at(-1)).toBe("thinking");
    talk.toolAnswers("c-lookup", completed("at seven"));
    talk.answers("It leaves at seven.");
    expect(published(talk).at(-1)).toBe("Let me look It leaves at seven.|");
    const slow = asked({ tools: new Map([["lookup", tool("blocking")]]) });
    slow.modelCalls("lookup");
    slow.modelFinishes();
    slow.passes(5000);
    expect(published(slow)).toEqual(["One moment, please."]);
    expect([...voicedActions(talk), ...voicedActions(slow)]).toEqual([]);
  });

  it("is so too where a background tool, a silent caller or a failed model makes the agent say more", () => {
    const talk = asked({ tools: new Map([["report", tool("background")]]), reengages: true, saysFarewell: true });
    talk.modelCalls("report");
    talk.modelFinishes();
    talk.answers("I am on it.");
    talk.toolAnswers("c-report", completed("done"));
    talk.passes(1000);
    talk.answers("It is done.");
    for (const check of ["Are you there?", "Still there?"]) {
      talk.passes(30_000);
      talk.answers(check);
    }
    talk.passes(60_000);
    talk.answers("Goodbye.");
    const finals = published(talk).filter((text) => text.endsWith("|"));
    expect(finals).toEqual(["I am on it.|", "It is done.|", "Are you there?|", "Still there?|", "Goodbye.|"]);
    expect([talk.end, voicedActions(talk)]).toEqual(["silence", []]);
    const failed = asked();
    failed.modelFails();
    expect(published(failed).at(-1)).toMatch(/sorry.*\|$/);
    expect(voicedActions(failed)).toEqual([]);
  });

  it("lets the agent hang up when it is published", () => {
    const talk = asked({ tools: new Map([["hang_up_call", hangUpTool]]) });
    talk.modelSays("Goodbye then");
    talk.modelCalls("hang_up_call");
    talk.modelFinishes();
    expect(published(talk).at(-1)).toBe("Goodbye then|");
    expect(talk.end).toBe("agent_hung_up");
  });
});

describe("an answer to read, at another runtime", () => {
  it("is asked for again, and still not spoken, where it had not begun", () => {
    const talk = asked().resumedElsewhere();
    talk.answers("At seven.");
    expect(published(talk).at(-1)).toBe("At seven.|");
    expect(voicedActions(talk)).toEqual([]);
  });

  it("goes on after what was published", () => {
    const first = asked();
    first.modelSays("It leaves at seven. It stops");
    const talk = first.resumedElsewhere();
    expect(talk.lines.at(-1)).toBe("agent: It leaves at seven.");
    talk.answers(" twice.");
    expect(published(talk).at(-1)).toBe("It leaves at seven. It stops twice.|");
    expect(voicedActions(talk)).toEqual([]);
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: "It leaves at seven. It stops twice." }]);
  });

  it("is published whole where all of it is in the log", () => {
    const first = asked();
    first.answers("It leaves at seven. It stops twice.");
    const until = first.records.findIndex(({ type }) => type === "reply-complete") + 1;
    const talk = TestDialogue.resumed(first.records.slice(0, until), {}, first.nowMs);
    expect(published(talk)).toEqual(["It leaves at seven. It stops twice.|"]);
    expect(talk.states.at(-1)).toBe("listening");
    expect(voicedActions(talk)).toEqual([]);
  });
});
