import type { TransferEntity } from "#protocol/agents/session";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { storableText } from "./log-items.js";

/** The transfers that the log of a conversation tells of, which ended then. Pure. */
export function transfersOf(log: readonly ConversationRecord[], endedAt: Date): TransferEntity[] {
  const instant = (record: ConversationRecord | undefined): string | null =>
    record === undefined ? null : new Date(Math.min(record.atEpochMs, endedAt.getTime())).toISOString();
  return log.flatMap((begun, index): TransferEntity[] => {
    if (begun.type !== "transfer-started") return [];
    const { transferId, destination, phoneNumber, mode } = begun;
    const later = log.slice(index + 1);
    const dialed = later.find((record) => record.type === "transfer-dialed" && record.transferId === transferId);
    const ended = later.find((record) => record.type === "transfer-ended" && record.transferId === transferId);
    const next = later.findIndex(({ type }) => type === "transfer-started");
    const own = next < 0 ? later : later.slice(0, next);
    const isAnswered = dialed?.type === "transfer-dialed" && dialed.status === "answered";
    const connected = own.find(({ type }) => type === "transfer-connected");
    const outcome = ended?.type === "transfer-ended" ? ended.outcome : null;
    return [
      {
        destination: storableText(destination),
        phone_number: phoneNumber,
        mode,
        // The conversation was over first: whoever talked then was transferred.
        outcome: outcome ?? (connected === undefined ? "cancelled" : "transferred"),
        started_at: new Date(begun.atEpochMs).toISOString(),
        answered_at: isAnswered ? instant(dialed) : null,
        connected_at: instant(connected),
        ended_at: instant(ended) ?? endedAt.toISOString(),
      },
    ];
  });
}

/** How long each second leg lasted, from its answer to its end; a cold transfer has none. Pure. */
export function legDurationsMs(transfers: readonly TransferEntity[]): number[] {
  return transfers.flatMap(({ answered_at: answered, ended_at: ended }) =>
    answered === null ? [] : [Math.max(0, Date.parse(ended) - Date.parse(answered))],
  );
}
