import { expect, it } from "vitest";
import { latencyLines, liveFacts } from "./activity-facts.js";

const report = {
  live: { requests: 1200, conversations: 3 },
  first_audio_ms: { count: 5000, p50: 24, p95: 49, p99: 1265 },
  reply_ms: null,
};

it("says what goes on now", () => {
  expect(liveFacts(report)).toEqual([
    ["Requests being served", "1,200"],
    ["Conversations", "3"],
  ]);
});

it("says how fast answers came, and of what there were none", () => {
  expect(latencyLines(report)).toEqual([
    { name: "First audio of speech", count: "5,000", percentiles: ["24 ms", "49 ms", "1,265 ms"] },
    { name: "Reply in conversations", count: "0", percentiles: ["–", "–", "–"] },
  ]);
});
