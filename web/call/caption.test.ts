import { describe, expect, it } from "vitest";
import { type Caption, withCaption } from "./caption.js";

const said = (id: string, text: string, isFinal = false): Caption => ({ id, speaker: "agent", text, isFinal });

describe("captions", () => {
  it("stand in the order in which they began, and grow in place", () => {
    const changes = [said("a", "One"), said("b", "Three"), said("a", "One, two", true), said("b", "Three, four")];
    const captions = changes.reduce(withCaption, [] as readonly Caption[]);
    expect(captions.map(({ text }) => text)).toEqual(["One, two", "Three, four"]);
  });

  it("stay as they are once they are final, unless another last word comes", () => {
    const captions = withCaption([], said("a", "done", true));
    expect(withCaption(captions, said("a", "do"))).toBe(captions);
    expect(withCaption(captions, said("a", "done!", true))).toEqual([said("a", "done!", true)]);
  });
});
