import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { peersFolder, pinned } from "./installed.js";

it("reads the pins of a requirements file, extras and remarks aside", () => {
  expect(pinned("# piper==0\npiper-tts[http]==1.8.0\nsherpa_onnx==2.0.1\n")).toEqual({
    "piper-tts": "1.8.0",
    sherpa_onnx: "2.0.1",
  });
});

it("finds every program that the scenarios run pinned", () => {
  const names = Object.keys(pinned(readFileSync(join(peersFolder, "requirements.txt"), "utf8")));
  expect(names.sort()).toEqual([
    "moonshine-cpp",
    "onnxruntime",
    "piper-tts",
    "pocketsphinx",
    "sherpa-onnx",
    "sherpa-onnx-bin",
    "wyoming-piper",
  ]);
});
