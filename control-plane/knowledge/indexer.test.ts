import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { MAX_KNOWLEDGE_BYTES } from "#protocol/knowledge";
import { indexText } from "./index-text.js";
import { closeIndexThread, indexOnThread } from "./indexer.js";

describe("indexOnThread", () => {
  afterAll(closeIndexThread);

  it.each<[string, string]>([
    ["titles", "# a\n"],
    ["paragraphs", "Good evening, dear guests.\n\n"],
    ["combining marks", "a\u0301\u0316\u0301\u0316"],
  ])("leaves the event loop to others while it indexes a megabyte of %s", async (_what, unit) => {
    const text = unit.repeat(Math.floor(MAX_KNOWLEDGE_BYTES / Buffer.byteLength(unit)));
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns++) await nextTurn();
    })();
    const indexed = await indexOnThread(text);
    isDone = true;
    await others;
    expect(turns).toBeGreaterThan(20);
    expect(indexed).toEqual(indexText(text));
  });

  it("gives the same for a small text, which stays here", async () => {
    const text = "# Shop\n\nWelcome.\n";
    expect(await indexOnThread(text)).toEqual(indexText(text));
  });
});
