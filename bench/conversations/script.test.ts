import { expect, it } from "vitest";
import { answers, ASK_FOR_STORY, conversationSteps, questions, replyTo } from "./script.js";

it("answers each question by a word of it, however the rest was understood", () => {
  for (const { keyword, answer } of questions) expect(replyTo(`uh WHAT ${keyword.toUpperCase()} hm`)).toBe(answer);
  expect(replyTo("more than half their quadrangle")).toBe(answers.at(-1));
});

it("tells the story that is asked for", () => {
  expect(replyTo(ASK_FOR_STORY)).toMatch(/^An old man/);
});

it("gives callers their clips in turn, and everybody the questions before the interruptions", () => {
  const clips = { questionClips: [0, 1, 2], interruptionClips: [7, 8] };
  const steps = conversationSteps(2, clips, { questions: 2, interruptions: 1 });
  expect(steps.map((own) => own.map(({ type, clip }) => `${type} ${clip}`))).toEqual([
    ["question 0", "question 1", "interruption 7"],
    ["question 2", "question 0", "interruption 8"],
  ]);
});
