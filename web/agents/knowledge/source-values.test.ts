import { expect, it } from "vitest";
import { fileNameOf, isText, sourceForm } from "./source-values.js";

const stored = { name: "Hours", description: "", content: "We open at nine." };

it("sends what changed, and the text only where it did", async () => {
  const renamed = sourceForm(stored, { ...stored, name: "Opening hours" });
  expect([...renamed.keys()]).toEqual(["name"]);
  const rewritten = sourceForm(stored, { ...stored, content: "We open at ten." });
  expect([...rewritten.keys()]).toEqual(["source"]);
  const file = rewritten.get("source") as File;
  expect([file.name, await file.text()]).toEqual(["Hours.md", "We open at ten."]);
});

it("names a text as a file that the server takes", () => {
  expect(["Hours", "hours.md", "Hours.TXT", "a.pdf"].map(fileNameOf)).toEqual([
    "Hours.md",
    "hours.md",
    "Hours.TXT",
    "a.pdf.md",
  ]);
});

it("knows text from what was none", () => {
  expect(["Größe 🙂", "", "a\uFFFDb", "a\u0000"].map(isText)).toEqual([true, true, false, false]);
});
