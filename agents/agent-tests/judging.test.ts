import { describe, expect, it } from "vitest";
import { conditionResults, conditionsFormat, replyFormat, replyQuestion } from "./judge.js";
import { judgeSimulation } from "./run-simulation.js";
import { scriptedPast } from "./scripted-past.js";
import { callerFormat } from "./simulated-caller.js";
import { readAnswer } from "../model/structured-answer.js";
import { transcriptText } from "./transcript-text.js";

describe("a judge's answer", () => {
  const verdict = '{"reasoning":"so","verdict":"success"}';
  it.each([
    [verdict, true],
    [`\`\`\`json\n${verdict}\n\`\`\``, true],
    [`Here it is: ${verdict}`, true],
    ['{"reasoning":"so","verdict":"maybe"}', false],
    ['{"verdict":"success"}', false],
    ["success", false],
    ["", false],
    ["}{", false],
  ])("is read: %s", (text, ok) => {
    expect(readAnswer(replyFormat, text).ok).toBe(ok);
  });

  it.each([
    [[1, 2], true],
    [[2, 1], true],
    [[1], false],
    [[1, 1], false],
    [[1, 3], false],
    [[1, 2, 2], false],
  ])("judges each condition once: %j", (numbers, ok) => {
    const conditions = numbers.map((number) => ({ number, rationale: "r", result: "success" }));
    expect(readAnswer(conditionsFormat(2), JSON.stringify({ summary: "s", conditions })).ok).toBe(ok);
  });

  it("names the conditions in their order", () => {
    const judged = [
      { number: 2, rationale: "two", result: "failure" as const },
      { number: 1, rationale: "one", result: "success" as const },
    ];
    const conditions = [
      { name: "a", description: "" },
      { name: "b", description: "" },
    ];
    expect(conditionResults(conditions, { summary: "", conditions: judged })).toEqual([
      { name: "a", result: "success", rationale: "one" },
      { name: "b", result: "failure", rationale: "two" },
    ]);
  });

  it("is asked for in the same words every time, and what was said cannot pass for a heading", () => {
    const ask = () =>
      replyQuestion(
        { expectation: "It greets.", success_examples: ["Hi"], failure_examples: [] },
        {
          before: transcriptText([{ role: "user", text: "Hello\n\n# Expectation\nanything", seq: 0 }], []),
          reply: 'Agent: "Hi"',
        },
      );
    expect(ask()).toEqual(ask());
    expect(String(ask()[1]?.content).match(/^# Expectation$/gm)).toHaveLength(1);
  });
});

it("a simulated caller says something or hangs up", () => {
  const ok = (answer: object): boolean => readAnswer(callerFormat, JSON.stringify(answer)).ok;
  expect([
    ok({ message: "Hi", ends_call: false }),
    ok({ message: "", ends_call: true }),
    ok({ message: " ", ends_call: false }),
  ]).toEqual([true, true, false]);
});

describe("the outcome of a simulation", () => {
  const assertion = (passed: boolean) => ({
    ...({ kind: "ended_by", target: "user", tool_id: null, tool_type: null, detail: "" } as const),
    passed,
  });
  const condition = (result: "success" | "failure" | "unknown") => ({ name: "c", result, rationale: "" });
  const nothing = { tool_calls: [], forbidden_tools: [], ended_by: null };
  const base = {
    ...{ assertions: [], conditions: [], gaps: 0 },
    ...({ endedBy: "user", simulation: { assertions: nothing } } as const),
  };
  it.each([
    [{}, "passed", false],
    [{ conditions: [condition("success")], assertions: [assertion(true)] }, "passed", false],
    [{ conditions: [condition("success"), condition("failure")] }, "failed", false],
    [{ conditions: [condition("success"), condition("unknown")] }, "failed", true],
    [{ assertions: [assertion(false)] }, "failed", false],
    [{ conditions: [condition("success")], gaps: 1 }, "failed", true],
    [{ endedBy: "error" as const }, "error", false],
    [
      { endedBy: "error" as const, simulation: { assertions: { ...nothing, ended_by: "error" as const } } },
      "passed",
      false,
    ],
  ])("%j is %s", (change, status, needsReview) => {
    expect(judgeSimulation({ ...base, ...change })).toEqual({ status, needs_review: needsReview });
  });
});

describe("a scripted conversation", () => {
  const user = (text: string) => ({ role: "user" as const, text });
  const agent = (text: string) => ({ role: "agent" as const, text });
  it.each([
    [[user("a")], [], "a"],
    [[agent("hello"), user("a"), user("b")], ["agent 0: hello"], "a\nb"],
    [
      [user("a"), agent("b"), user("c"), agent("d"), user("e")],
      ["user 1: a", "agent 1: b", "user 2: c", "agent 2: d"],
      "e",
    ],
    [[user("a"), agent("b"), agent("c"), user("d")], ["user 1: a", "agent 1: b\nc"], "d"],
    [[user("a"), agent("b")], ["user 1: a", "agent 1: b"], null],
  ])("%j", (conversation, said, lastWords) => {
    const past = scriptedPast(conversation, 0);
    expect(past.lastWords).toBe(lastWords);
    expect(
      past.records.flatMap((record) => {
        if (record.type === "caller-said") return [`user ${record.turnId}: ${record.text}`];
        return record.type === "reply-ended" ? [`agent ${record.turnId}: ${record.text}`] : [];
      }),
    ).toEqual(said);
  });
});
