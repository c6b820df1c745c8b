import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { DialogueMessage } from "./input.js";
import { essenceOf, happened, happenedIn, openReply, randomSettings, steps } from "./testing/random-dialogue.js";
import { TestDialogue } from "./testing/test-dialogue.js";

/*
 * `TestDialogue` checks at each input: at most one reply is spoken, a dropped request is never spoken, nothing follows
 * the end, and the next tick is in the future.
 */

const runs = { numRuns: howMany(200), endOnFailure: true };

/** The text of the agent in a history. */
const agentText = (history: readonly DialogueMessage[]): string =>
  history.map((message) => (message.role === "agent" ? message.text : "")).join("");

/** Records of a log up to one of them, by a number. */
const cutAt = (records: readonly ConversationRecord[], pick: number): ConversationRecord[] =>
  records.slice(0, pick % (records.length + 1));

describe("a dialogue to which anything happens in any order", () => {
  it("ends when the caller is gone, and ticks bring it there", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        talk.input({ type: "caller-left" });
        talk.passes(talk.settings.absenceMs);
        expect(talk.dialogue.isOver).toBe(true);
        expect(talk.all("end")).toHaveLength(1);
        expect(talk.recorded("ended")).toHaveLength(1);
        expect(talk.dialogue.nextWakeMs()).toBeNull();
        expect(talk.input({ type: "typed", text: "hello" })).toEqual([]);
      }),
      runs,
    );
  });

  it("ends by itself when nothing happens any more", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        talk.passes(talk.settings.maxDurationMs + 10_000);
        expect(talk.dialogue.isOver).toBe(true);
      }),
      runs,
    );
  });

  it("ends at once when told", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        if (talk.dialogue.isOver) return;
        talk.input({ type: "end", reason: "requested", detail: "by the owner", isPolite: false });
        expect(talk.all("end").at(-1)).toMatchObject({ reason: "requested", detail: "by the owner" });
      }),
      runs,
    );
  });

  it("remembers of its replies what was heard", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        talk.input({ type: "end", reason: "requested", detail: null, isPolite: false });
        const ended = talk.recorded("reply-ended");
        for (const { replyId, text, isInterrupted } of ended) {
          const { given, characters } = talk.playedOf(replyId);
          expect(given.startsWith(text)).toBe(true);
          if (isInterrupted) expect(text.length).toBe(characters);
          else expect(text).toBe(given);
        }
        expect(agentText(talk.dialogue.history)).toBe(ended.map(({ text }) => text).join(""));
      }),
      runs,
    );
  });

  it("has exactly one result for each tool call, and asks for each only once", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        talk.input({ type: "end", reason: "requested", detail: null, isPolite: false });
        const called = talk.recorded("tool-called").map(({ callId }) => callId);
        expect(new Set(called).size).toBe(called.length);
        const answered = talk.recorded("tool-answered").map(({ callId }) => callId);
        expect([...answered].sort()).toEqual([...called].sort());
        const made = talk.all("call-tool").map(({ call }) => call.callId);
        expect(new Set(made).size).toBe(made.length);
        const results = talk.dialogue.history.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
        expect([...results].sort()).toEqual([...called].sort());
      }),
      runs,
    );
  });

  it("goes on elsewhere with the same history, wherever its log breaks off", () => {
    fc.assert(
      fc.property(randomSettings, steps, (settings, script) => {
        const talk = happened(settings, script);
        for (const [count, { history, atMs }] of talk.histories) {
          if (count === 0) continue;
          const resumed = TestDialogue.resumed(talk.records.slice(0, count), settings, atMs);
          // One whose time is up ends at once, where the first let the agent finish.
          if (resumed.end === "max_duration") continue;
          const before = essenceOf(JSON.parse(history) as DialogueMessage[]);
          expect(essenceOf(resumed.dialogue.history)).toEqual(before);
        }
      }),
      { numRuns: howMany(60), endOnFailure: true },
    );
  });

  it("speaks what was heard never again elsewhere, but for one word at most, and leaves nothing out", () => {
    fc.assert(
      fc.property(randomSettings, steps, fc.nat(), (settings, script, pick) => {
        const talk = happened(settings, script);
        const log = cutAt(talk.records, pick);
        const resumed = TestDialogue.resumed(log, settings, talk.nowMs);
        resumed.input({ type: "caller-joined" });
        const open = openReply(log);
        const [first] = resumed.all("speak");
        if (open !== null && first !== undefined && first.replyId === open.replyId) {
          const from = open.text.length - first.text.length;
          expect(open.text.slice(from)).toBe(first.text);
          expect(from).toBeLessThanOrEqual(open.characters);
          expect(open.text.slice(from, open.characters)).not.toMatch(/\s/);
        }
        if (open !== null && talk.isTextOnly(open.replyId)) {
          const shown = resumed
            .all("publish-transcript")
            .filter(({ segmentId }) => segmentId === `agent-${open.replyId}`);
          for (const { text } of shown) expect(text.startsWith(open.text) || open.text.startsWith(text)).toBe(true);
        } else if (open !== null && /\w/.test(open.text.slice(open.characters)) && !resumed.dialogue.isOver)
          expect(first?.replyId).toBe(open.replyId);
        const ended = new Set(log.flatMap((record) => (record.type === "reply-ended" ? [record.replyId] : [])));
        expect(resumed.all("speak").filter(({ replyId }) => ended.has(replyId))).toEqual([]);
      }),
      { numRuns: howMany(400), endOnFailure: true },
    );
  });

  it("lives on elsewhere as well as where it began", () => {
    fc.assert(
      fc.property(randomSettings, steps, steps, fc.nat(), (settings, script, rest, pick) => {
        const log = cutAt(happened(settings, script).records, pick);
        const resumed = TestDialogue.resumed(log, settings, 1e6);
        happenedIn(resumed, rest);
        resumed.input({ type: "hang-up" });
        expect(resumed.dialogue.isOver).toBe(true);
        const called = resumed.recorded("tool-called").map(({ callId }) => callId);
        const answered = resumed.recorded("tool-answered").map(({ callId }) => callId);
        expect([...answered].sort()).toEqual([...called].sort());
      }),
      runs,
    );
  });
});
