import { describe, expect, it } from "vitest";
import { phrasesOf } from "../language/phrases.js";
import type { DialogueSettings } from "../settings.js";
import { completed, hangUpTool, TestDialogue, testSettings, tool } from "../testing/test-dialogue.js";

const { filler, apology } = phrasesOf("en");

const tools = new Map([
  ["lookup", tool("blocking")],
  ["notify", tool("fire_and_forget")],
  ["report", tool("background")],
  ["hang_up_call", hangUpTool],
]);

/** The caller has asked something, and the model is about to answer. */
function asked(settings: Partial<DialogueSettings> = {}): TestDialogue {
  const talk = TestDialogue.joined({ tools, ...settings });
  talk.takesTurn("When does it leave?");
  return talk;
}

/** What the model reads as the results of its calls. */
const results = (talk: TestDialogue): (string | null)[] =>
  talk.request.history.flatMap((message) =>
    message.role === "tool" ? [message.result.output ?? message.result.error] : [],
  );

describe("a tool that blocks", () => {
  it("is called, and its result goes back to the model", () => {
    const talk = asked();
    talk.modelSays("Let me see.");
    talk.modelCalls("lookup", '{"train":1}');
    expect(talk.all("call-tool")).toEqual([]);
    talk.modelFinishes();
    expect(talk.all("call-tool")).toMatchObject([{ call: { name: "lookup", arguments: '{"train":1}' } }]);
    const order = talk.actions.map((action) => (action.type === "record" ? action.record.type : action.type));
    expect(order.indexOf("tool-called")).toBeLessThan(order.indexOf("call-tool"));
    expect(talk.all("ask-model")).toHaveLength(1);
    talk.toolAnswers("c-lookup", completed("at seven"));
    expect(talk.all("ask-model")).toHaveLength(2);
    expect(results(talk)).toEqual(["at seven"]);
    talk.answers("It leaves at seven.");
    talk.playsAll();
    expect(talk.spoken).toEqual(["Let me see. It leaves at seven."]);
    expect(talk.lines.slice(1)).toEqual([
      "agent: Let me see. [lookup]",
      "tool: at seven",
      "agent:  It leaves at seven.",
    ]);
    expect(talk.recorded("tool-answered")).toMatchObject([{ callId: "c-lookup", status: "completed", latencyMs: 5 }]);
    expect(talk.all("tell-tool").map(({ result }) => result?.output ?? null)).toEqual([null, "at seven"]);
  });

  it("that takes long is excused once a turn", () => {
    const talk = asked();
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.passes(1499);
    expect(talk.spoken).toEqual([]);
    talk.passes(1);
    expect(talk.spoken).toEqual([filler]);
    talk.toolAnswers("c-lookup");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.passes(5000);
    talk.toolAnswers("c-lookup-2");
    talk.answers("At seven.");
    expect(talk.spoken).toEqual([`${filler} At seven.`]);
  });

  it("is excused when several together take long", () => {
    const talk = asked();
    for (const callId of ["c-lookup", "c-lookup-2"]) {
      talk.modelCalls("lookup");
      talk.modelFinishes();
      talk.passes(1000);
      expect(talk.spoken).toEqual(callId === "c-lookup" ? [] : [filler]);
      talk.toolAnswers(callId);
    }
  });

  it("is not excused where the model has said something", () => {
    const talk = asked();
    talk.modelSays("Let me see.");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.passes(5000);
    expect(talk.spoken).toEqual(["Let me see."]);
  });

  it("goes on when the caller interrupts, and its result is remembered", () => {
    const talk = asked();
    talk.modelSays("Let me see.");
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.playsAll();
    talk.takesTurn("Never mind, what about the bus?");
    expect(talk.all("cancel-tool")).toEqual([]);
    expect(results(talk)).toEqual(["The tool is still running; its result is not known yet."]);
    talk.toolAnswers("c-lookup", completed("at seven"));
    expect(talk.lines).toContain("tool: at seven");
    expect(talk.recorded("tool-answered")).toHaveLength(1);
  });

  it("answers once", () => {
    const talk = asked();
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.toolAnswers("c-lookup", completed("at seven"));
    talk.toolAnswers("c-lookup", completed("at eight"));
    talk.toolAnswers("c-other", completed("at nine"));
    expect(talk.recorded("tool-answered")).toMatchObject([{ output: "at seven" }]);
  });
});

describe("calls that cannot be made", () => {
  it.each([
    ["sing", "{}", 'there is no tool "sing"'],
    ["lookup", "{broken", "the arguments are not a JSON object"],
    ["lookup", "[1]", "the arguments are not a JSON object"],
    ["notify", "{broken", "the arguments are not a JSON object"],
  ])("fail at once, and the model sees it: %s %s", (name, args, error) => {
    const talk = asked();
    talk.modelCalls(name, args);
    talk.modelFinishes();
    expect(talk.all("call-tool")).toEqual([]);
    expect(results(talk)).toEqual([error]);
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "failed", error }]);
  });

  it("are those of a ninth round", () => {
    const talk = asked();
    for (let round = 1; round <= 9; round++) {
      talk.modelCalls("sing");
      talk.modelFinishes();
    }
    expect(talk.recorded("tool-called")).toHaveLength(8);
    expect(talk.all("ask-model").length).toBe(9);
    expect(talk.spoken).toEqual([apology]);
    expect(talk.recorded("reply-complete")).toHaveLength(1);
  });
});

describe("a tool that is fired and forgotten", () => {
  it("is started, as the model reads at once; what it answers is for the log alone", () => {
    const talk = asked();
    talk.modelCalls("notify");
    talk.modelFinishes();
    expect(talk.all("call-tool")).toHaveLength(1);
    expect(results(talk)).toEqual(["started"]);
    talk.answers("I have sent it.");
    talk.playsAll();
    talk.toolAnswers("c-notify", completed("sent"));
    expect(talk.recorded("tool-answered")).toMatchObject([{ output: "sent" }]);
    expect(talk.lines).toContain("tool: started");
    talk.passes(5000);
    expect(talk.all("ask-model")).toHaveLength(2);
  });
});

describe("a tool that runs in the background", () => {
  it("is told about in the next pause", () => {
    const talk = asked();
    talk.modelCalls("report");
    talk.modelFinishes();
    expect(results(talk)).toEqual(["The tool is running in the background; its result will come later."]);
    talk.answers("I am looking.");
    talk.toolAnswers("c-report", completed("42 pages"));
    talk.passes(2000);
    expect(talk.all("ask-model")).toHaveLength(2);
    talk.playsAll();
    talk.passes(699);
    expect(talk.all("ask-model")).toHaveLength(2);
    talk.passes(1);
    expect(talk.all("ask-model")).toHaveLength(3);
    expect(talk.request.instruction).toContain("background");
    expect(results(talk)).toEqual(["42 pages"]);
    talk.answers("The report has 42 pages.");
    talk.playsAll();
    talk.passes(5000);
    expect(talk.all("ask-model")).toHaveLength(3);
    expect(talk.recorded("tool-called")).toMatchObject([{ source: "background" }]);
  });

  it("is told about later when the caller speaks first", () => {
    const talk = asked();
    talk.modelCalls("report");
    talk.modelFinishes();
    talk.answers("I am looking.");
    talk.playsAll();
    talk.toolAnswers("c-report", completed("42 pages"));
    talk.passes(700);
    expect(talk.request.instruction).not.toBeNull();
    talk.takesTurn("And the bus?");
    talk.answers("At eight.");
    talk.playsAll();
    talk.passes(700);
    expect(talk.request.instruction).toContain("background");
  });

  it("fails at once as the eleventh", () => {
    const talk = asked();
    for (let index = 0; index < 11; index++) talk.modelCalls("report", "{}", `r${index}`);
    talk.modelFinishes();
    expect(talk.all("call-tool")).toHaveLength(10);
    expect(talk.recorded("tool-answered")).toMatchObject([{ callId: "r10", status: "failed" }]);
    talk.answers("I am looking.");
    talk.playsAll();
    talk.toolAnswers("r0");
    talk.takesTurn("Once more.");
    talk.modelCalls("report", "{}", "r11");
    talk.modelFinishes();
    expect(talk.all("call-tool")).toHaveLength(11);
  });
});

describe("hanging up", () => {
  it("comes when the goodbye was heard", () => {
    const talk = asked();
    talk.modelSays("Goodbye.");
    talk.modelCalls("hang_up_call");
    talk.modelFinishes();
    expect(talk.end).toBeNull();
    expect(talk.all("call-tool")).toEqual([]);
    talk.playsAll();
    expect(talk.end).toBe("agent_hung_up");
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "completed", source: "builtin" }]);
  });

  it("comes at once where nothing is said", () => {
    const talk = asked();
    talk.modelCalls("hang_up_call");
    talk.modelFinishes();
    expect(talk.end).toBe("agent_hung_up");
  });

  it("does not come when the caller interrupts", () => {
    const talk = asked();
    talk.modelSays("Goodbye.");
    talk.modelCalls("hang_up_call");
    talk.modelFinishes();
    talk.heard("Good");
    talk.takesTurn("Wait, one more question.");
    talk.answers("Yes?");
    talk.playsAll();
    expect(talk.end).toBeNull();
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "failed" }]);
  });
});

describe("a caller who leaves while a tool runs", () => {
  it("is waited for, and hears what it answered meanwhile", () => {
    const talk = asked();
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.input({ type: "caller-left" });
    talk.toolAnswers("c-lookup", completed("at seven"));
    expect(talk.all("cancel-tool")).toEqual([]);
    talk.answers("It leaves at seven.");
    expect(talk.spoken).toEqual([]);
    talk.input({ type: "caller-joined" });
    expect(talk.spoken).toEqual(["It leaves at seven."]);
  });

  it("and does not come back ends the conversation, and the call with it", () => {
    const talk = asked();
    talk.modelCalls("lookup");
    talk.modelFinishes();
    talk.input({ type: "caller-left" });
    talk.passes(testSettings.absenceMs);
    expect(talk.end).toBe("caller_left");
    expect(talk.all("cancel-tool").map(({ callId }) => callId)).toEqual(["c-lookup"]);
    expect(talk.recorded("tool-answered")).toMatchObject([{ status: "failed" }]);
  });
});

describe("the end of a conversation", () => {
  it("cancels all calls, each with one result", () => {
    const talk = asked();
    for (const name of ["lookup", "notify", "report"]) talk.modelCalls(name);
    talk.modelFinishes();
    talk.input({ type: "hang-up" });
    expect(talk.end).toBe("caller_left");
    expect(talk.all("cancel-tool").map(({ callId }) => callId)).toEqual(["c-lookup", "c-notify", "c-report"]);
    expect(talk.recorded("tool-answered").map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    talk.toolAnswers("c-lookup");
    expect(talk.recorded("tool-answered")).toHaveLength(3);
  });
});
