import { describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger, type Logger } from "#common/log";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import type { KnowledgePassage, SearchKnowledgeReply, SearchKnowledgeRequest } from "#protocol/bus/conversation";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { DialogueMessage } from "../dialogue/input.js";
import { planOf } from "../testing/plan.js";
import { createKnowledge, type Knowledge } from "./create-knowledge.js";
import { searchQuery } from "./search-query.js";

const caller = (text: string, turnId = 1): DialogueMessage => ({ role: "caller", turnId, text });
const agent = (text: string, turnId = 1): DialogueMessage => ({
  ...{ role: "agent", turnId, text, isInterrupted: false, calls: [] },
});
const passage: KnowledgePassage = {
  ...{ sourceId: "s1", sourceName: "guide.md", heading: "Hours", content: "We open at nine.", score: 2 },
};
const found: Reply<SearchKnowledgeReply> = { ok: true, value: { passages: [passage] } };
const knowledge = [{ sourceId: "s1", revisionNumber: 3 }];
const plan = planOf({ knowledge, config: { knowledge_base: { enabled: true } } });

/** A bus on which the search answers this, and what it was asked. */
function setUp(
  answer: () => Promise<object>,
  change = plan,
): { found: Knowledge; asked: SearchKnowledgeRequest[]; clock: VirtualClock; lines: string[] } {
  const bus = new LocalBus();
  const asked: SearchKnowledgeRequest[] = [];
  bus.respond<SearchKnowledgeRequest, object>(controlSubjects.searchKnowledge, (request) => {
    asked.push(request);
    return answer();
  });
  const lines: string[] = [];
  const log = Object.create(createLogger("test", "fatal")) as Logger;
  Object.assign(log, { warn: (...parts: unknown[]) => void lines.push(JSON.stringify(parts)) });
  const clock = new VirtualClock();
  return { found: createKnowledge({ bus, plan: change, log, clock }), asked, clock, lines };
}

describe("the search of an agent's knowledge", () => {
  it("is asked for the caller's words, in the revisions that the plan pinned", async () => {
    const { found: search, asked } = setUp(async () => found);
    expect(await search.passagesFor([caller("When do you open?")])).toEqual([passage]);
    expect(asked).toEqual([{ teamId: "team-1", sources: knowledge, query: "When do you open?", limit: 6 }]);
  });

  it("is asked once for the same words", async () => {
    const { found: search, asked } = setUp(async () => found);
    const history = [caller("When do you open?")];
    const both = await Promise.all([search.passagesFor(history), search.passagesFor(history)]);
    expect(both).toEqual([[passage], [passage]]);
    expect(await search.passagesFor(history)).toEqual([passage]);
    expect(asked).toHaveLength(1);
    for (let turn = 2; turn < 7; turn++) await search.passagesFor([caller(`What about entry number ${turn}?`, turn)]);
    await search.passagesFor(history);
    expect(asked).toHaveLength(7);
  });

  it.each([
    ["switched off", planOf({ knowledge })],
    ["without sources", planOf({ config: { knowledge_base: { enabled: true } } })],
  ])("is not asked where it is %s", async (_name, change) => {
    const { found: search, asked } = setUp(async () => found, change);
    expect(await search.passagesFor([caller("When do you open?")])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("is waited for 400 ms, and asked again the next time", async () => {
    const answers = [new Promise<object>(() => undefined), Promise.resolve(found)];
    const { found: search, asked, clock, lines } = setUp(() => answers.shift() ?? Promise.resolve(found));
    const late = search.passagesFor([caller("When do you open?")]);
    clock.advance(399);
    expect(await Promise.race([late, Promise.resolve("waiting")])).toBe("waiting");
    clock.advance(1);
    expect(await late).toEqual([]);
    expect(await search.passagesFor([caller("When do you open?")])).toEqual([passage]);
    expect(asked).toHaveLength(2);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("timeout");
  });

  it.each<[string, () => Promise<object>]>([
    ["fails", () => Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "x" } }))],
    ["is refused", async () => ({ ok: false, error: toErrorRecord(new ServiceError("internal")) })],
  ])("that %s gives none, and a line without the words", async (_name, answer) => {
    const { found: search, lines } = setUp(answer);
    expect(await search.passagesFor([caller("a private question")])).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("private");
    expect(lines[0]).toContain("session-1");
  });
});

describe("searchQuery", () => {
  it.each<[DialogueMessage[], string | null]>([
    [[], null],
    [[agent("Hello.")], null],
    [[caller("Yes?")], "Yes?"],
    [[caller("and the")], null],
    [
      [caller("When do you open on weekdays?"), agent("At nine."), caller("And on Sundays?", 2)],
      "When do you open on weekdays? And on Sundays?",
    ],
    [
      [caller("Where can cars park near the museum?"), caller("What do tickets for children cost?", 2)],
      "What do tickets for children cost?",
    ],
    [[caller("When do"), caller("you open"), agent("At nine.")], "When do you open"],
    [[caller("票多少钱"), agent("十二欧元。"), caller("停车场在哪里", 2)], "停车场在哪里"],
  ])("of %j is %j", (history, query) => {
    expect(searchQuery(history)).toBe(query);
  });

  it("is bounded: the end of a long turn counts", () => {
    expect(searchQuery([caller(`${"filler ".repeat(1000)}opening hours`)])).toMatch(/^.{1987}opening hours$/);
  });
});
