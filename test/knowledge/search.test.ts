import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Passage, searchKnowledge, type SearchedSource } from "#control-plane/knowledge/search";
import { changeSource, insertSource } from "#control-plane/knowledge/store";
import { engines, freshDatabase } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";
import { labelledDocuments, labelledQuestions } from "./labelled-set.js";

describe.each(engines)("searchKnowledge on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let teamId: string;
  let sources: SearchedSource[];
  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    teamId = (await addTeam(fixture.database.db)).teamId;
    sources = [];
    for (const { fileName, text } of labelledDocuments()) sources.push(await add(text, fileName));
  });
  afterAll(() => fixture.stop());

  const add = async (text: string, fileName = "a.md", team = teamId): Promise<SearchedSource> => {
    const given = { teamId: team, name: fileName, description: "", content: { text, fileName }, now: new Date() };
    const row = await insertSource(fixture.database.db, given);
    return { sourceId: row.id, revisionNumber: null };
  };
  const search = (query: string, limit: number, within = sources, team = teamId): Promise<Passage[]> => {
    return searchKnowledge(fixture.database.db, { teamId: team, sources: within, query, limit });
  };

  it("finds the answers of the labelled set among all documents", async () => {
    const ranks: { question: string; rank: number }[] = [];
    for (const { question, answer } of labelledQuestions) {
      const found = await search(question, 10);
      ranks.push({ question, rank: found.findIndex((passage) => passage.content.includes(answer)) + 1 });
    }
    const recall = (k: number): number => ranks.filter(({ rank }) => rank > 0 && rank <= k).length / ranks.length;
    const meanReciprocalRank = ranks.reduce((sum, { rank }) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length;
    const missed = ranks
      .filter(({ rank }) => rank === 0 || rank > 3)
      .map(({ question, rank }) => `${rank === 0 ? "-" : rank}: ${question}`);
    console.log(
      `${engine}: ${ranks.length} questions, recall@1 ${recall(1).toFixed(3)}, @3 ${recall(3).toFixed(3)}, @5 ${recall(5).toFixed(3)}, ` +
        `@10 ${recall(10).toFixed(3)}, mean reciprocal rank ${meanReciprocalRank.toFixed(3)}\n${missed.join("\n")}`,
    );
    // Measured with the parameters that were chosen beforehand: 0.815, 0.924 and 0.946. What is missed shares no word
    // with its answer.
    expect(recall(1)).toBeGreaterThanOrEqual(0.8);
    expect(recall(3)).toBeGreaterThanOrEqual(0.91);
    expect(recall(5)).toBeGreaterThanOrEqual(0.93);
  });

  it("reads the revision that is asked for, else the newest", async () => {
    const source = await add("The code word is zebra.");
    const content = { text: "The code word is giraffe.", fileName: "a.md" };
    const change = { name: undefined, description: undefined, content, now: new Date() };
    await changeSource(fixture.database.db, { teamId, sourceId: source.sourceId }, change);
    const texts = async (query: string, revisionNumber: number | null) =>
      (await search(query, 5, [{ ...source, revisionNumber }])).map((passage) => passage.content);
    expect(await texts("zebra", 1)).toEqual(["The code word is zebra."]);
    expect(await texts("zebra", null)).toEqual([]);
    expect(await texts("giraffe", null)).toEqual(["The code word is giraffe."]);
    expect(await texts("giraffe", 2)).toEqual(["The code word is giraffe."]);
    expect(await texts("giraffe", 3)).toEqual([]);
  });

  it("searches nothing of another team, nothing that was not named, and nothing that is gone", async () => {
    const other = (await addTeam(fixture.database.db)).teamId;
    const theirs = await add("Their secret is xylophone.", "b.md", other);
    expect(await search("xylophone", 5, [theirs], other)).toHaveLength(1);
    expect(await search("xylophone", 5, [theirs])).toEqual([]);
    expect(await search("xylophone", 5, sources, other)).toEqual([]);
    expect(await search("breakfast", 5, [])).toEqual([]);
    expect(await search("breakfast", 5, [{ sourceId: "0".repeat(32), revisionNumber: null }])).toEqual([]);
  });

  it("puts a heading's words above the text's, rare words above common ones, and gives what is asked for", async () => {
    const text =
      "# Opening\nNothing here.\n\n# Other\nThe opening is small.\n\n# Third\nThe small cat.\n\n# Fourth\nA small dog.";
    const source = await add(text);
    const found = await search("opening", 5, [source]);
    expect(found.map((passage) => passage.heading)).toEqual(["Opening", "Other"]);
    expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? Number.POSITIVE_INFINITY);
    expect((await search("small cat", 5, [source])).map((passage) => passage.heading)[0]).toBe("Third");
    expect(await search("small", 2, [source])).toHaveLength(2);
    expect(found[0]).toMatchObject({ sourceName: "a.md", content: "Nothing here.", sourceId: source.sourceId });
  });

  it.each([
    "",
    " ",
    "?!",
    "the of",
    "'",
    "' | 'x",
    "a & !b <-> c:*",
    "\\",
    "\u0000",
    "\ud800",
    "%",
    "x".repeat(100_000),
    "wörd ".repeat(5000),
  ])("answers %j like any other question", async (query) => {
    expect(Array.isArray(await search(query, 3))).toBe(true);
  });
});
