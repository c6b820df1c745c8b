import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { VirtualClock } from "#common/clock";
import type { Dial } from "#common/livekit/livekit-dialer";
import { planOf } from "../testing/plan.js";
import { openLine } from "./line.js";

const outbound = {
  callerNumber: "+4930123456",
  dialedNumber: "+4930987654",
  dial: { trunkId: "ST_1", ringMs: 30_000 },
};
const inbound = { ...outbound, dial: null };

type Past = { type: "dialing" | "caller-joined" | "taken" } | { type: "dial-resolved"; status: "answered" | "busy" };

/** A line, and what came of it in words. */
function open(call: typeof outbound | typeof inbound | undefined, past: Past[] = []) {
  const [clock, story, dials] = [new VirtualClock(), [] as string[], [] as Dial[]];
  const line = openLine({
    plan: planOf(call === undefined ? {} : { call }),
    past: past.map((record, index) => ({ ...record, id: `${index}`, atEpochMs: 0 })) as ConversationRecord[],
    records: {
      write: (record) => story.push(record.type === "dial-resolved" ? `resolved ${record.status}` : record.type),
      settled: () => Promise.resolve(),
    },
    clock,
    dial: (asked) => {
      dials.push(asked);
      return new Promise(() => undefined);
    },
    tell: (what) =>
      what({
        input: (input) => story.push(input.type === "typed" ? `typed ${input.text}` : input.type),
        end: (reason) => story.push(`ends: ${reason}`),
      }),
  });
  line.begin();
  return { line, clock, story, dials };
}

describe("the line of a conversation", () => {
  it("is dialed behind its record, and the answer is written before the caller joins", async () => {
    const { line, story, dials } = open(outbound);
    await nextTurn();
    expect(dials).toEqual([
      {
        ...{ trunkId: "ST_1", ringMs: 30_000, fromNumber: "+4930123456", toNumber: "+4930987654" },
        ...{ room: "room-1", identity: "caller", maxDurationMs: 1_860_000 },
      },
    ]);
    line.event({ type: "seen" });
    line.event({ type: "answered" });
    expect(story).toEqual(["dialing", "resolved answered"]);
  });

  it("that is not answered ends the conversation", async () => {
    const { line, clock, story } = open(outbound);
    await nextTurn();
    line.event({ type: "seen" });
    line.event({ type: "lost", loss: "rejected" });
    clock.advance(2000);
    expect(story).toEqual(["dialing", "resolved busy", "ends: not_answered"]);
  });

  it.each<[string, Past[], string[]]>([
    ["was dialed, and nobody knows more", [{ type: "dialing" }], ["resolved failed", "ends: not_answered"]],
    ["was busy", [{ type: "dialing" }, { type: "dial-resolved", status: "busy" }], ["ends: not_answered"]],
    [
      "was answered by somebody who is gone",
      [{ type: "dialing" }, { type: "dial-resolved", status: "answered" }],
      ["ends: caller_left"],
    ],
    [
      "is under way",
      [{ type: "dialing" }, { type: "dial-resolved", status: "answered" }, { type: "caller-joined" }],
      [],
    ],
  ])("is never dialed again where it %s", async (_what, past, wanted) => {
    const { clock, story, dials } = open(outbound, past);
    await nextTurn();
    clock.advance(10_000);
    expect([story, dials]).toEqual([wanted, []]);
  });

  it("that came in ends where its caller is gone before it is answered, or was never seen", () => {
    const left = open(inbound);
    left.line.event({ type: "seen" });
    left.line.event({ type: "lost", loss: "other" });
    const unseen = open(inbound);
    unseen.clock.advance(8000);
    const ringing = open(inbound);
    ringing.line.event({ type: "seen" });
    ringing.clock.advance(60_000);
    expect([left.story, unseen.story, ringing.story]).toEqual([["ends: never_joined"], ["ends: never_joined"], []]);
  });

  it("gives what is pressed as a turn, and nothing after it is closed; over the web there is none", () => {
    const { line, story, clock } = open(inbound);
    line.event({ type: "answered" });
    for (const key of ["4", "2", "#", "1"]) line.event({ type: "key", key });
    line.close();
    clock.advance(60_000);
    expect(story).toEqual(["typed [keypad: 42#]"]);
    const web = open(undefined);
    web.clock.advance(60_000);
    expect([web.story, web.dials]).toEqual([[], []]);
  });
});
