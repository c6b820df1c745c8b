import { describe, expect, it } from "vitest";
import { phrasesOf } from "../language/phrases.js";
import { completed, hangUpTool, TestDialogue, testSettings, transferTool } from "../testing/test-dialogue.js";
import { failedResult } from "./tool-policy.js";

const tools = new Map([
  ["hang_up_call", hangUpTool],
  ["transfer_call", transferTool],
]);

/** The caller wants somebody else, and the model has said `text` and called for the transfer. */
function asked(text = "I'll put you through."): TestDialogue {
  const talk = TestDialogue.joined({ tools });
  talk.takesTurn("May I speak with a human?");
  if (text !== "") talk.modelSays(text);
  talk.modelCalls("transfer_call", '{"destination":"Sales"}');
  talk.modelFinishes();
  return talk;
}

/** The same, and the caller has heard the text. */
function transferring(): TestDialogue {
  const talk = asked();
  talk.playsAll();
  return talk;
}

describe("a transfer", () => {
  it("begins when its announcement was heard, and ends the conversation where the caller is somewhere else then", () => {
    const talk = asked();
    expect([talk.all("call-tool"), talk.all("ask-model").length]).toEqual([[], 1]);
    talk.playsAll();
    expect(talk.all("call-tool")).toMatchObject([{ call: { name: "transfer_call" } }]);
    expect(talk.recorded("tool-called")).toMatchObject([{ source: "builtin" }]);
    talk.input({ type: "transferred", isOver: true });
    expect(talk.end).toBe("transferred");
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "completed", source: "builtin" }]);
  });

  it("without a word of the model says that it takes a moment", () => {
    const talk = asked("");
    expect([talk.spoken, talk.all("call-tool")]).toEqual([[phrasesOf("en").filler], []]);
    talk.playsAll();
    expect(talk.all("call-tool")).toHaveLength(1);
  });

  it("does not begin where the caller interrupts its announcement", () => {
    const talk = asked();
    talk.heard("I'll");
    talk.takesTurn("No, wait.");
    talk.answers("Yes?");
    talk.playsAll();
    expect([talk.all("call-tool"), talk.end]).toEqual([[], null]);
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "failed", error: "the caller interrupted" }]);
  });

  it("lets nobody be asked whether they are there, and is told about when it failed", () => {
    const talk = transferring();
    talk.passes(testSettings.hangUpAfterMs + 1000);
    expect([talk.end, talk.all("ask-model").length]).toEqual([null, 1]);
    talk.toolAnswers("c-transfer_call", failedResult("nobody answered"));
    talk.passes(1000);
    expect(talk.request.instruction).toContain("has finished");
    expect(talk.lines.at(-1)).toBe("tool: nobody answered");
    talk.answers("Nobody is there, I'm afraid.");
    talk.playsAll();
    talk.passes(1000);
    expect(talk.end).toBeNull();
  });

  it("silences the agent where the caller stays, until the caller is gone", () => {
    const talk = transferring();
    talk.input({ type: "transferred", isOver: false });
    expect(talk.recorded("transfer-connected")).toHaveLength(1);
    talk.takesTurn("Hello, is that Sales?");
    talk.input({ type: "typed", text: "hello" });
    talk.passes(testSettings.hangUpAfterMs * 2);
    expect([talk.end, talk.all("ask-model").length, talk.recorded("caller-said").length]).toEqual([null, 1, 1]);
    talk.input({ type: "hang-up" });
    expect(talk.end).toBe("transferred");
  });

  it("ends at the longest duration all the same, and where the caller is lost", () => {
    const long = transferring();
    long.input({ type: "transferred", isOver: false });
    long.passes(testSettings.maxDurationMs + 10_000);
    const lost = transferring();
    lost.input({ type: "transferred", isOver: false });
    lost.input({ type: "caller-left" });
    lost.passes(testSettings.absenceMs);
    expect([long.end, lost.end]).toEqual(["max_duration", "transferred"]);
  });

  it("is one at a time, and nobody hangs up meanwhile", () => {
    const talk = transferring();
    talk.takesTurn("Are you still there?");
    for (const name of ["hang_up_call", "transfer_call"]) talk.modelCalls(name, "{}", `again-${name}`);
    talk.modelFinishes();
    expect(talk.recorded("tool-answered").map(({ callId, status }) => [callId, status])).toEqual([
      ["again-hang_up_call", "failed"],
      ["again-transfer_call", "failed"],
    ]);
    expect([talk.end, talk.all("call-tool").length]).toEqual([null, 1]);
  });

  it("is called off where the caller hangs up before", () => {
    const talk = transferring();
    talk.input({ type: "hang-up" });
    expect(talk.all("cancel-tool").map(({ callId }) => callId)).toEqual(["c-transfer_call"]);
    expect(talk.end).toBe("caller_left");
  });
});

describe("a transfer whose runtime is lost", () => {
  it("begins at the next one where its announcement was not over", () => {
    const talk = asked().resumedElsewhere();
    talk.playsAll();
    expect(talk.all("call-tool")).toHaveLength(1);
  });

  it("is not asked for again, and the caller hears that nobody knows", () => {
    const talk = transferring().resumedElsewhere();
    expect(talk.all("call-tool")).toEqual([]);
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "failed" }]);
    talk.passes(1000);
    expect(talk.request.instruction).toContain("has finished");
  });

  it("goes on in silence where both talk", () => {
    const before = transferring();
    before.input({ type: "transferred", isOver: false });
    const talk = before.resumedElsewhere();
    talk.toolAnswers("c-transfer_call", completed("late"));
    talk.passes(testSettings.hangUpAfterMs * 2);
    expect([talk.all("ask-model"), talk.end]).toEqual([[], null]);
    talk.input({ type: "hang-up" });
    expect(talk.end).toBe("transferred");
  });
});
