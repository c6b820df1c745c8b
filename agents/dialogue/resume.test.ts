import { describe, expect, it } from "vitest";
import { CONTINUE } from "./instructions.js";
import { completed, hangUpTool, TestDialogue, tool } from "./testing/test-dialogue.js";

const story = "The train to the coast leaves at seven in the morning.";

describe("a dialogue that goes on at another runtime", () => {
  it("says the rest of a sentence from the word that was not heard whole", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers(story);
    talk.heard("The train to the coa");
    const resumed = talk.resumedElsewhere();
    expect(resumed.spoken).toEqual(["coast leaves at seven in the morning."]);
    expect(resumed.all("finish-reply")).toHaveLength(1);
    expect(resumed.all("ask-model")).toEqual([]);
    expect(resumed.lines.at(-1)).toBe("agent: The train to the coa");
    resumed.playsAll();
    expect(resumed.lines.at(-1)).toBe(`agent: ${story}`);
    expect(resumed.recorded("reply-ended")).toMatchObject([{ text: story, isInterrupted: false }]);
  });

  it("counts what is heard from there on", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers(story);
    talk.heard("The train to the");
    const resumed = talk.resumedElsewhere();
    resumed.heard(" coast leaves");
    resumed.takesTurn("And the bus?");
    expect(resumed.lines.slice(1)).toEqual(["agent: The train to the coast leaves—", "caller: And the bus?"]);
  });

  it("has the model go on where it broke off", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.modelSays("The train leaves");
    talk.heard("The");
    const resumed = talk.resumedElsewhere();
    expect(resumed.spoken).toEqual([" train leaves"]);
    expect(resumed.request).toMatchObject({ instruction: CONTINUE });
    expect(resumed.request.history.at(-1)).toMatchObject({ role: "agent", text: "The train leaves" });
    resumed.answers(" at seven.");
    resumed.playsAll();
    expect(resumed.lines.at(-1)).toBe("agent: The train leaves at seven.");
  });

  it("asks again what was not answered", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    const resumed = talk.resumedElsewhere();
    expect(resumed.request).toMatchObject({ instruction: null, history: [{ text: "When?" }] });
    resumed.answers("At seven.");
    expect(resumed.spoken).toEqual(["At seven."]);
  });

  it("greets a caller whom nobody has greeted", () => {
    const firstMessage = { mode: "fixed", text: "Hello there." } as const;
    const talk = TestDialogue.joined({ firstMessage });
    const joined = talk.records.slice(0, 1);
    expect(TestDialogue.resumed(joined, { firstMessage }, 10).spoken).toEqual(["Hello there."]);
    talk.playsAll();
    expect(talk.resumedElsewhere().spoken).toEqual([]);
  });

  it("does not call again what may have run, and tells the model", () => {
    const talk = TestDialogue.joined({ tools: new Map([["book", tool("blocking")]]) });
    talk.takesTurn("Book it.");
    talk.modelCalls("book");
    talk.modelFinishes();
    const resumed = talk.resumedElsewhere();
    expect(resumed.all("call-tool")).toEqual([]);
    expect(resumed.recorded("tool-answered")).toMatchObject([
      { callId: "c-book", status: "failed", error: "outcome unknown: it may have run" },
    ]);
    expect(resumed.request.history.at(-1)).toMatchObject({ result: { error: "outcome unknown: it may have run" } });
  });

  it.each([
    ["lookup", tool("blocking", true)],
    ["notify", tool("fire_and_forget")],
    ["report", tool("background", true)],
  ] as const)("calls again what may run twice: %s", (name, definition) => {
    const talk = TestDialogue.joined({ tools: new Map([[name, definition]]) });
    talk.takesTurn("Go.");
    talk.modelCalls(name);
    talk.modelFinishes();
    const resumed = talk.resumedElsewhere();
    expect(resumed.all("call-tool")).toMatchObject([{ call: { callId: `c-${name}` } }]);
    resumed.toolAnswers(`c-${name}`, completed("done"));
    expect(resumed.recorded("tool-called")).toHaveLength(1);
    expect(resumed.recorded("tool-answered")).toHaveLength(1);
    expect(resumed.request.history.some(({ role }) => role === "tool")).toBe(true);
  });

  it("does not wait for a call of a reply that was interrupted", () => {
    const talk = TestDialogue.joined({ tools: new Map([["lookup", tool("blocking", true)]]) });
    talk.takesTurn("When?");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.takesTurn("Never mind, hello.");
    talk.answers("Hello to you.");
    talk.heard("Hello");
    const resumed = talk.resumedElsewhere();
    expect(resumed.all("call-tool")).toHaveLength(1);
    resumed.toolAnswers("c-lookup");
    expect(resumed.all("ask-model")).toEqual([]);
    resumed.playsAll();
    expect(resumed.lines.at(-1)).toBe("agent: Hello to you.");
  });

  it("hangs up where it was about to", () => {
    const talk = TestDialogue.joined({ tools: new Map([["hang_up_call", hangUpTool]]) });
    talk.takesTurn("Bye.");
    talk.modelSays("Goodbye, caller.");
    talk.modelCalls("hang_up_call");
    talk.modelFinishes();
    talk.heard("Goodbye,");
    const resumed = talk.resumedElsewhere();
    expect(resumed.spoken).toEqual([" caller."]);
    expect(resumed.end).toBeNull();
    resumed.playsAll();
    expect(resumed.end).toBe("agent_hung_up");
  });

  it("counts its duration from the first joining", () => {
    const talk = TestDialogue.joined({ maxDurationMs: 30_000 });
    talk.passes(20_000);
    talk.input({ type: "caller-left" });
    talk.input({ type: "caller-joined" });
    const resumed = talk.resumedElsewhere();
    resumed.passes(9999);
    expect(resumed.end).toBeNull();
    resumed.passes(1);
    expect(resumed.end).toBe("max_duration");
  });

  it("waits for a caller who was away, and is over where it was", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers(story);
    talk.heard("The train");
    talk.input({ type: "caller-left" });
    const resumed = talk.resumedElsewhere();
    expect(resumed.spoken).toEqual([]);
    resumed.input({ type: "caller-joined" });
    expect(resumed.spoken).toEqual([" to the coast leaves at seven in the morning."]);
    resumed.input({ type: "hang-up" });
    const over = resumed.resumedElsewhere();
    expect(over.dialogue.isOver).toBe(true);
    expect(over.actions).toEqual([]);
    expect(over.dialogue.history).toEqual(resumed.dialogue.history);
  });

  it("gives its transcripts and replies names of their own", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("When?");
    talk.answers(story);
    talk.playsAll();
    const resumed = talk.resumedElsewhere();
    resumed.takesTurn("And the bus?");
    resumed.answers("At eight.");
    resumed.playsAll();
    const segments = (of: TestDialogue): Set<string> =>
      new Set(of.all("publish-transcript").map(({ segmentId }) => segmentId));
    expect([...segments(talk)].filter((segmentId) => segments(resumed).has(segmentId))).toEqual([]);
    expect(resumed.recorded("caller-said").map(({ turnId }) => turnId)).toEqual([1, 2]);
  });
});
