import { describe, expect, it } from "vitest";
import { configPatch } from "#protocol/agents/config-patch";
import { ApiFailure } from "../api/request.js";
import { problemAt, problemsElsewhere, problemsOfValue, problemsWithin, refusedFields } from "./problems.js";

const findings = (patch: unknown): string[] =>
  problemsOfValue(configPatch, patch).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("what the server's schema says of a value", () => {
  it("is a sentence at the field", () => {
    expect(findings({ conversation: { max_duration_seconds: 59, hangup_after_seconds: 3601 } })).toEqual([
      "conversation.max_duration_seconds: At least 60.",
      "conversation.hangup_after_seconds: At most 3600.",
    ]);
    expect(findings({ conversation: { max_duration_seconds: null, hangup_after_seconds: 60.5 } })).toEqual([
      "conversation.max_duration_seconds: Enter a number.",
      "conversation.hangup_after_seconds: A whole number.",
    ]);
    expect(findings({ prompt: { first_message: "a".repeat(10_001) } })).toEqual([
      "prompt.first_message: At most 10000 characters.",
    ]);
    expect(findings({ analysis: { criteria: [{ name: "Polite" }] } })).toEqual([
      "analysis.criteria.0.name: Input should match the pattern ^[a-z][a-z0-9_]{0,63}$.",
    ]);
    expect(findings({ webhooks: { conversation_init: { url: "" } } })).toEqual([
      "webhooks.conversation_init.url: Fill this in.",
    ]);
    expect(findings({ voice: { speaking_language: "la" } })).toEqual([
      "voice.speaking_language: One of: en, ja, zh, ko, es, fr, de.",
    ]);
  });

  it("is nothing where the server takes it", () => {
    expect(findings({ conversation: { max_duration_seconds: 60 }, webhooks: { conversation_init: null } })).toEqual([]);
  });
});

describe("problems", () => {
  const problems = [
    { path: ["a", "b"], message: "First." },
    { path: ["a", "b"], message: "Second." },
    { path: ["a", "0", "c"], message: "Deep." },
    { path: [], message: "All of it." },
  ];

  it("stand at the field that they name, and nowhere else", () => {
    expect(problemAt(problems, ["a", "b"])).toBe("First. Second.");
    expect(problemAt(problems, ["a"])).toBeUndefined();
    expect(problemAt(problems, ["a", "b", "c"])).toBeUndefined();
    expect(problemsWithin(problems, ["a"])).toBe("First. Second. Deep.");
    expect(problemsWithin(problems, ["b"])).toBeUndefined();
  });

  it("are found where no field shows them", () => {
    expect(problemsElsewhere(problems, [["a"]])).toEqual([problems[3]]);
    expect(problemsElsewhere(problems, [["a", "b"]])).toEqual([problems[2], problems[3]]);
  });

  it("are those of a refusal that names fields", () => {
    expect(refusedFields(new ApiFailure(422, "id", "no", problems))).toBe(problems);
    expect(refusedFields(new Error("no"))).toEqual([]);
    expect(refusedFields(null)).toEqual([]);
  });
});
