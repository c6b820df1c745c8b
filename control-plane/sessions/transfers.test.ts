import { expect, it } from "vitest";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { legDurationsMs, transfersOf } from "./transfers.js";

const start = Date.UTC(2026, 0, 1);
const begun = { type: "transfer-started", destination: "Sales", phoneNumber: "+4930111", mode: "warm" };

/** Records of a log, each a second after the one before. */
const logOf = (...records: object[]): ConversationRecord[] =>
  records.map(
    (record, index) => ({ id: `${index}`, atEpochMs: start + index * 1000, ...record }) as ConversationRecord,
  );

it("the transfers of a log are told apart, and a leg ends with the conversation at the latest", () => {
  const log = logOf(
    { ...begun, transferId: 1 },
    { type: "transfer-dialed", transferId: 1, status: "answered", detail: null },
    { type: "transfer-ended", transferId: 1, outcome: "declined", detail: null },
    { ...begun, transferId: 2 },
    { type: "transfer-dialed", transferId: 2, status: "answered", detail: null },
    { type: "transfer-connected" },
    { type: "transfer-ended", transferId: 2, outcome: "transferred", detail: null, atEpochMs: start + 99_000 },
  );
  const transfers = transfersOf(log, new Date(start + 10_000));
  expect(transfers.map(({ outcome, connected_at: connected }) => [outcome, connected])).toEqual([
    ["declined", null],
    ["transferred", new Date(start + 5000).toISOString()],
  ]);
  expect(legDurationsMs(transfers)).toEqual([1000, 6000]);
});

it("a transfer that the log does not end was cut off by the end, unless both talked", () => {
  const ended = new Date(start + 10_000);
  const [dialing] = transfersOf(logOf({ ...begun, transferId: 1 }), ended);
  const [talking] = transfersOf(logOf({ ...begun, transferId: 1 }, { type: "transfer-connected" }), ended);
  expect([dialing?.outcome, talking?.outcome, dialing?.ended_at]).toEqual([
    "cancelled",
    "transferred",
    ended.toISOString(),
  ]);
});
