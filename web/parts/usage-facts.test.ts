import { expect, it } from "vitest";
import { usageFactsOf } from "./usage-facts.js";

const line = {
  requests: 1200,
  failed_requests: 3,
  partial_requests: 0,
  characters: 34_567,
  audio_seconds: 4000,
  conversation_seconds: 0,
  cost: "1.25",
};

it("says use in numbers that people read", () => {
  expect(usageFactsOf(line)).toEqual([
    ["Requests", "1,200"],
    ["Failed", "3"],
    ["Characters", "34,567"],
    ["Audio", "1 h 7 min"],
    ["Conversations", "0 s"],
    ["Cost", "1.25 credits"],
  ]);
  const audioOf = (audio_seconds: number): string | undefined => usageFactsOf({ ...line, audio_seconds })[3]?.[1];
  expect([59.94, 90, 3599].map(audioOf)).toEqual(["59.9 s", "2 min", "1 h 0 min"]);
});
