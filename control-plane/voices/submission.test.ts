import { describe, expect, it } from "vitest";
import { readSubmission } from "./submission.js";

const ofValue = (value: unknown): unknown => readSubmission({ kind: "value", value }).values;

describe("readSubmission", () => {
  it.each<[string, unknown, object]>([
    ["one voice", { voices: "QQ==" }, { voices: ["QQ=="] }],
    ["a list of bytes", { voices: [1, 2] }, { voices: [[1, 2]] }],
    ["several lists of bytes", { voices: [[1], [2]] }, { voices: [[1], [2]] }],
    ["no voices", { voices: null }, { voices: undefined }],
    ["joined tags", { tags: " a, b,a," }, { tags: ["a", "b"] }],
    ["tags of nothing", { tags: "" }, { tags: [] }],
    ["listed tags", { tags: ["a,b", " c "] }, { tags: ["a,b", "c"] }],
    ["null tags", { tags: null }, { tags: undefined }],
    ["joined texts, one for each voice", { voices: ["x", "y"], texts: "one, two" }, { texts: ["one", "two"] }],
    [
      "one text with commas of its own",
      { voices: ["x", "y"], texts: "one, two, three" },
      { texts: ["one, two, three"] },
    ],
    ["one text for one voice", { voices: ["x"], texts: "one" }, { texts: ["one"] }],
    ["tags that are no list", { tags: 5 }, { tags: 5 }],
  ])("reads %s", (_name, value, expected) => {
    expect(ofValue(value)).toMatchObject(expected);
  });

  it.each([
    [null],
    [5],
    ["text"],
    [[1, 2]],
    [new Uint8Array(2)],
  ])("hands %j on as it is, for validation to refuse", (value) => {
    expect(ofValue(value)).toBe(value);
  });

  it("takes files before base64 fields, the last of a repeated scalar, and no empty cover", () => {
    const bytes = Uint8Array.of(1);
    const { values, sampleNames } = readSubmission({
      kind: "form",
      form: {
        fields: ["title=a", "title=b", "voices=QQ==", "unknown=1"].map((pair) => ({
          name: pair.split("=")[0] ?? "",
          value: pair.slice(pair.indexOf("=") + 1),
        })),
        files: [
          { name: "voices", filename: "v.wav", contentType: "", bytes },
          { name: "cover_image", filename: "", contentType: "", bytes: new Uint8Array(0) },
        ],
      },
    });
    expect(values).toEqual({
      title: "b",
      voices: [bytes, "QQ=="],
      cover_image: undefined,
      tags: undefined,
      texts: undefined,
    });
    expect(sampleNames).toEqual(["v.wav"]);
  });
});
