import { expect, it } from "vitest";
import { judgeGreeting } from "./greeting-words.js";

it.each([
  ["please leave your name and your number", "machine"],
  ["leave it to me who is this speaking", "closing"],
  ["how can i help you today", "closing"],
  ["who's there", "closing"],
  ["hello", "greeting"],
  ["yes hello anna", "greeting"],
  ["hello this is the house of anna", null],
  ["i will be speaking about something else now", null],
  ["message leave", null],
  ["leave one two three four message", null],
  ["", null],
])("what is said by %j", (text, sign) => {
  expect(judgeGreeting(text, "en")).toBe(sign);
});

it("goes by the language, and by English where it knows no phrases of it", () => {
  expect(judgeGreeting("Bitte sprechen Sie nach dem Signalton.", "de")).toBe("machine");
  expect(judgeGreeting("Please leave a message.", "de")).toBeNull();
  expect(judgeGreeting("留守番電話サービスに接続します", "ja")).toBe("machine");
  expect(judgeGreeting("Please leave a message.", "pt")).toBe("machine");
});
