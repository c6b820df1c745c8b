import { expect, it } from "vitest";
import { speakerChoices } from "./speakers.js";

it("shows of a speaker whose it is", () => {
  const languages = ["en"];
  expect(
    speakerChoices([
      { id: "rms", voice_model: "parley-en", languages },
      { id: "joe", voice_model: "joe", languages },
      { id: "more:rms", voice_model: "more", languages },
    ]),
  ).toEqual([
    { value: "rms", label: "rms (parley-en)" },
    { value: "joe", label: "joe" },
    { value: "more:rms", label: "more:rms" },
  ]);
});
