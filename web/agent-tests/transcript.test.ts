import { describe, expect, it } from "vitest";
import type { TestRunDetail } from "#protocol/agents/test-runs";
import { transcriptOf } from "./transcript.js";

const run = (change: object): TestRunDetail =>
  ({ conversation: [], agent_reply: "", simulation_result: null, ...change }) as unknown as TestRunDetail;
const lines = (change: object): string[] =>
  transcriptOf(run(change)).map(({ speaker, text, isNew }) => `${isNew ? "" : "given "}${speaker}: ${text}`);

describe("the transcript of a test run", () => {
  it("is what the test gives, and the reply to it", () => {
    const conversation = [{ role: "user", text: "Hello" }];
    expect(lines({ conversation })).toEqual(["given Caller: Hello"]);
    expect(lines({ conversation, agent_reply: "Hi." })).toEqual(["given Caller: Hello", "Agent: Hi."]);
  });

  it("has calls of tools where they happened", () => {
    const call = { tool_name: "book", input: { day: 1 }, output: null, error: null, mocked: true };
    const simulation_result = {
      transcript: [
        { role: "user", text: "Book.", seq: 1 },
        { role: "agent", text: "Done.", seq: 4 },
      ],
      tool_calls: [
        { ...call, seq: 2, output: "ok" },
        { ...call, seq: 3, error: "gone", mocked: false },
      ],
    };
    expect(lines({ simulation_result })).toEqual([
      "Caller: Book.",
      'Tool: book({"day":1}) answered ok (made up)',
      'Tool: book({"day":1}) failed: gone',
      "Agent: Done.",
    ]);
  });
});
