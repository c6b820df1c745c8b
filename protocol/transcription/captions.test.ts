import { expect, it } from "vitest";
import { renderSrt, renderVtt } from "./captions.js";

const segments = [
  { text: "good morning", start: 0.5, end: 1.2 },
  { text: `a long --> phrase <of> words & more words than fit${" on"} one line`, start: 3599.9996, end: 3661.25 },
];

it("renders SubRip", () => {
  expect(renderSrt(segments)).toBe(
    "1\n00:00:00,500 --> 00:00:01,200\ngood morning\n\n" +
      "2\n01:00:00,000 --> 01:01:01,250\na long --> phrase <of> words & more words\nthan fit on one line\n",
  );
  expect(renderSrt([])).toBe("");
});

it("renders WebVTT, where no text can be markup", () => {
  expect(renderVtt(segments)).toBe(
    "WEBVTT\n\n00:00:00.500 --> 00:00:01.200\ngood morning\n\n" +
      "01:00:00.000 --> 01:01:01.250\na long --&gt; phrase &lt;of&gt; words &amp; more words\nthan fit on one line\n",
  );
  expect(renderVtt([])).toBe("WEBVTT\n");
});
