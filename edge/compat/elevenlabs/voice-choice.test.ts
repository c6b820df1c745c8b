import { describe, expect, it } from "vitest";
import type { ModelEntity } from "#protocol/voices";
import { chosenVoices, voiceChoiceOf } from "./voice-choice.js";

const voice = (_id: string, title: string, created_at: string): ModelEntity =>
  ({ _id, title, created_at }) as unknown as ModelEntity;
const voices = [
  voice("3", "Zed", "2026-03-01T00:00:00Z"),
  voice("1", "anna", "2026-01-01T00:00:00Z"),
  voice("2", "Bob", "2026-02-01T00:00:00Z"),
];

describe("the choice of voices", () => {
  it.each([
    ["sort=name", ["1", "2", "3"]],
    ["sort=name&sort_direction=desc", ["3", "2", "1"]],
    ["sort=created_at_unix", ["3", "2", "1"]],
    ["sort_direction=asc", ["1", "2", "3"]],
    ["voice_ids=1&voice_ids=3", ["3", "1"]],
    ["voice_ids=2,1,9", ["2", "1"]],
    ["category=cloned", ["3", "2", "1"]],
    ["category=premade", []],
    ["voice_type=personal", ["3", "2", "1"]],
    ["voice_type=community", []],
    ["voice_type=default&sort=name", []],
    ["collection_id=c", []],
  ])("follows %s", (query, ids) => {
    const choice = voiceChoiceOf(new URLSearchParams(query));
    expect(choice && chosenVoices(voices, choice).map(({ _id }) => _id)).toEqual(ids);
  });

  it("is none where nothing is asked for, and refuses orders that there are not", () => {
    for (const query of ["", "search=a&page_size=3&include_total_count=true", "voice_ids=&sort="])
      expect(voiceChoiceOf(new URLSearchParams(query))).toBeNull();
    for (const query of ["sort=age", "sort_direction=up"])
      expect(() => voiceChoiceOf(new URLSearchParams(query))).toThrow(
        expect.objectContaining({ code: "refused_parameter" }),
      );
  });
});
