import { describe, expect, it } from "vitest";
import type { ServedModel } from "#protocol/bus/membership";
import { findNamedSpeaker, namedSpeakers, speakerSettings } from "./named-speaker.js";

const model = (name: string, speakers: string[]): ServedModel => ({
  ...{ name, task: "speak", languages: ["en"], sampleRate: 22_050, speakers, maxBatch: 1, provider: "cpu" },
});
const models = [model("own", ["heart", "rms"]), model("joe", ["default"]), model("more", ["heart", "bella"])];

describe("speakers by their names", () => {
  it("are listed under what finds them: a name, a model before a name that is taken, the model of one without names", () => {
    const speakers = namedSpeakers(models);
    expect(speakers.map(({ id }) => id)).toEqual(["heart", "rms", "joe", "more:heart", "bella"]);
    for (const speaker of speakers) expect(findNamedSpeaker(models, speaker.id)).toEqual(speaker);
  });

  it.each([
    ["heart", { speaker: "heart", speakerModel: "own" }],
    ["own:heart", { speaker: "heart", speakerModel: "own" }],
    ["more:heart", { speaker: "heart", speakerModel: "more" }],
    ["joe", { speaker: null, speakerModel: "joe" }],
    ["more", { speaker: null, speakerModel: "more" }],
  ])("finds %s", (asked, settings) => {
    const found = findNamedSpeaker(models, asked);
    expect(found && speakerSettings(found)).toEqual(settings);
  });

  it.each([
    "",
    "default",
    "Heart",
    "own:bella",
    "joe:default",
    "joe:null",
    "0",
    "9a1f0c2b3d4e5f60718293a4b5c6d7e8",
  ])("finds nobody called '%s'", (asked) => expect(findNamedSpeaker(models, asked)).toBeNull());
});
