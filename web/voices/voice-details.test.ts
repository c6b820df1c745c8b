import { expect, it } from "vitest";
import { formOf, listPath, noDetails, patchOf } from "./voice-details.js";

const details = { ...noDetails, title: " Anna ", tags: "calm, , low voice,", description: "Reads news." };

it("sends tags apart, without blanks and empty ones", () => {
  expect(patchOf(details)).toEqual({
    title: "Anna",
    description: "Reads news.",
    tags: ["calm", "low voice"],
    visibility: "private",
  });
});

it("sends a text for each recording, empty where none was written", () => {
  const sample = (id: number, text: string) => ({ id, text, file: new File(["a"], `${id}.wav`) });
  const form = formOf(details, [sample(1, ""), sample(2, " Good morning. ")]);
  expect(form.getAll("voices").map((file) => (file as File).name)).toEqual(["1.wav", "2.wav"]);
  expect(form.getAll("texts")).toEqual(["", "Good morning."]);
  expect([form.getAll("tags"), form.get("type"), form.get("visibility")]).toEqual([
    ["calm", "low voice"],
    "tts",
    "private",
  ]);
});

it("asks for a page of the list, filtered where something is searched", () => {
  expect(listPath({ title: "a&b", isOwn: true, page: 2, pageSize: 10 })).toBe(
    "/model?page_size=10&page_number=2&sort_by=created_at&self=true&title=a%26b",
  );
  expect(listPath({ title: "", isOwn: false, page: 1, pageSize: 10 })).not.toContain("title");
});
