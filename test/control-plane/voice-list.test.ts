import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import type { Db } from "#control-plane/database/database";
import { voices } from "#control-plane/database/schema";
import type { VoiceRow } from "#control-plane/voices/entity";
import { listVoices } from "#control-plane/voices/list";
import { titleColumns } from "#control-plane/voices/store";
import { type ModelListQuery, modelListQuery, visibilities, voiceSortOrders } from "#protocol/voices";
import { engines, freshDatabase } from "./databases.js";
import { addTeam } from "./teams.js";

const titles = ["Ana", "ana", "Banana", "ÄNNE", "Straße", "100%", "a_b", "a\\b", "ﬁn", "東京", "Ω the end and more"];
const tags = ["calm", "deep", "x,y", '"q"', "{}", "NULL"];

/** What the list should be, said as plainly as possible. */
function naiveList(
  rows: VoiceRow[],
  query: ModelListQuery,
  teamId: string,
): { total: number; ids: string[]; hasMore: boolean } {
  const any = (wanted: string[], had: string[]): boolean =>
    wanted.length === 0 || wanted.some((item) => had.includes(item));
  const fold = (text: string): string => text.normalize("NFKC").toLowerCase();
  const matching = rows.filter(
    (row) =>
      (query.self
        ? row.teamId === teamId
        : row.visibility === "public" && (query.author_id === undefined || row.authorId === query.author_id)) &&
      (query.title === undefined || fold(row.title).includes(fold(query.title))) &&
      any(query.tag, row.tags) &&
      any(query.language, row.languages) &&
      any(query.title_language, row.titleLanguages),
  );
  const rank = (row: VoiceRow): number => {
    if (query.sort_by !== "score" || query.title === undefined) return 0;
    const [title, wanted] = [fold(row.title), fold(query.title)];
    return title === wanted ? 0 : title.startsWith(wanted) ? 1 : 2;
  };
  const uses = (row: VoiceRow): number => (query.sort_by === "created_at" ? 0 : row.taskCount);
  matching.sort(
    (a, b) =>
      rank(a) - rank(b) || uses(b) - uses(a) || b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  const from = (query.page_number - 1) * query.page_size;
  const ids = matching.slice(from, from + query.page_size).map((row) => row.id);
  return { total: matching.length, ids, hasMore: from < matching.length && from + query.page_size < matching.length };
}

describe.each(engines)("the list of voices on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  const rows: VoiceRow[] = [];
  const teams: { teamId: string; userId: string }[] = [];

  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    db = fixture.database.db;
    for (let index = 0; index < 3; index++) teams.push((await addTeam(db)).principal);
    const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
    for (let index = 0; index < 80; index++) {
      const team = pick(teams, index * 7 + (index >> 3));
      const createdAt = new Date(1_700_000_000_000 + (index % 9) * 1000);
      rows.push({
        id: newIdentifier(),
        teamId: team.teamId,
        authorId: team.userId,
        ...titleColumns(pick(titles, index * 5 + (index >> 4))),
        description: "",
        visibility: pick(visibilities, index),
        tags: [pick(tags, index), pick(tags, index * 3 + 1)],
        languages: pick([["en"], ["de", "fr"], []], index >> 1),
        defaultText: "",
        coverDigest: null,
        enhanceAudioQuality: true,
        pitchHz: 1,
        pitchRangeSemitones: 1,
        syllablesPerSecond: 1,
        spectralTiltDbPerOctave: 1,
        taskCount: index % 4,
        createdAt,
        updatedAt: createdAt,
      });
    }
    await db.insert(voices).values(rows);
  });
  afterAll(() => fixture.stop());

  const optional = <T>(values: readonly T[]): fc.Arbitrary<T | undefined> =>
    fc.option(fc.constantFrom(...values), { nil: undefined });
  const words = (values: string[]): fc.Arbitrary<string[] | undefined> =>
    fc.option(fc.subarray(values, { maxLength: 2 }), { nil: undefined });

  it("is what a plain filter and sort would give, page by page", async () => {
    const queries = fc.record({
      page_size: fc.integer({ min: 1, max: 100 }).map(String),
      page_number: fc.integer({ min: 1, max: 30 }).map(String),
      title: optional(["", "a", "AN", "ana", "ß", "STRASSE", "ä", "%", "_", "\\", "fi", "京", "no such title"]),
      tag: words(tags),
      self: optional(["true", "false"]),
      author: optional([0, 1, 2, 3]),
      language: words(["en", "de", "ja"]),
      title_language: words(["ja", "zh", "en"]),
      sort_by: optional(voiceSortOrders),
    });
    await fc.assert(
      fc.asyncProperty(queries, fc.nat(2), async ({ author, ...raw }, asker) => {
        const query = modelListQuery.parse({
          ...raw,
          author_id: author === undefined ? undefined : (teams[author]?.userId ?? "nobody"),
        });
        const teamId = teams[asker]?.teamId ?? "";
        const list = await listVoices(db, query, teamId);
        expect({ total: list.total, ids: list.items.map((item) => item._id), hasMore: list.has_more }).toEqual(
          naiveList(rows, query, teamId),
        );
      }),
      { numRuns: 250 },
    );
  });

  it("neither repeats nor skips a voice over its pages", async () => {
    const seen: string[] = [];
    for (let page = 1; ; page++) {
      const list = await listVoices(db, modelListQuery.parse({ page_size: "7", page_number: String(page) }), "");
      seen.push(...list.items.map((item) => item._id));
      if (list.has_more !== true) break;
    }
    const all = rows.filter((row) => row.visibility === "public").map((row) => row.id);
    expect(seen.length).toBe(all.length);
    expect(new Set(seen)).toEqual(new Set(all));
  });
});
