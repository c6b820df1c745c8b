import { expect, it, onTestFinished } from "vitest";
import { startScriptedModel } from "./model.js";

it.each([
  ["one text", "How much is it?"],
  ["parts", [{ type: "text", text: "How much is it?" }]],
])("answers the last message of a user that comes as %s, a word at a time", async (_, content) => {
  const model = await startScriptedModel((text) => (text === "How much is it?" ? "Twelve dollars." : "What?"));
  onTestFinished(() => model.close());
  const messages = [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Yes?" },
    { role: "user", content },
    { role: "system", content: "Answer." },
  ];
  const answer = await fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "scripted", stream: true, messages, tools: [] }),
  });
  const events = (await answer.text())
    .trim()
    .split("\n\n")
    .map((line) => line.slice("data: ".length));
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event).choices[0]);
  expect(chunks.map(({ delta }) => delta.content)).toEqual(["Twelve", " dollars.", undefined]);
  expect(chunks.at(-1).finish_reason).toBe("stop");
  expect(events.at(-1)).toBe("[DONE]");
});

it("lets a request without a question be", async () => {
  const model = await startScriptedModel(() => "What?");
  onTestFinished(() => model.close());
  expect((await fetch(`${model.baseUrl}/models`)).status).toBe(400);
});
