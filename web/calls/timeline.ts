import type { SessionDetail, SessionItem, TurnLatencyEntity } from "#protocol/agents/session";

/** Something that was said or done in a call. */
export interface TimelineEntry {
  key: string;
  /** When it was over, seconds since the caller joined; null where the moment is not known. */
  atSeconds: number | null;
  /** When what came before was over. */
  fromSeconds: number;
  item: SessionItem;
  /** How long the caller waited for this reply; only at the first message of a turn's reply. */
  latency: TurnLatencyEntity | null;
  /** Whether the caller heard only a part of it. */
  isCutOff: boolean;
}

/** What was said and done, in order, each reply with the wait for it. */
export function timelineOf({ items, started_at, turn_latencies, interrupted_turns }: SessionDetail): TimelineEntry[] {
  const latencies = new Map(turn_latencies.map((latency) => [latency.turn_id, latency]));
  const lastReplies = new Map(items.filter(isReply).map((item) => [item.turn_id ?? -1, item]));
  const interrupted = new Set(interrupted_turns);
  let fromSeconds = 0;
  return items.map((item, index) => {
    const latency = isReply(item) ? (latencies.get(item.turn_id ?? -1) ?? null) : null;
    // A turn may be answered in several messages, before a tool and behind it.
    if (latency !== null) latencies.delete(latency.turn_id);
    const atSeconds = secondsBetween(started_at, item.created_at);
    // Of several messages of a turn the last one was.
    const isCutOff = lastReplies.get(item.turn_id ?? -1) === item && interrupted.has(item.turn_id ?? -1);
    const entry = { key: `${index} ${item.type}`, atSeconds, fromSeconds, item, latency, isCutOff };
    fromSeconds = Math.max(fromSeconds, atSeconds ?? 0);
    return entry;
  });
}

const isReply = (item: SessionItem): boolean =>
  item.type === "message" && item.role === "assistant" && item.turn_id !== null;

function secondsBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : (Date.parse(to) - Date.parse(from)) / 1000;
}

/** What went on while a caller waited, in milliseconds; the model may answer before the turn's end is sure. */
export function latencyParts(latency: TurnLatencyEntity): [name: string, ms: number][] {
  const measured: [string, number | null][] = [
    ["end of turn", latency.endpointing_ms],
    ["recognition", latency.recognition_ms],
    ["model", latency.model_first_token_ms],
    ["first clause", latency.first_clause_ms],
    ["speech", latency.first_audio_ms],
  ];
  return measured.flatMap(([name, ms]): [string, number][] => (ms === null ? [] : [[name, ms]]));
}

/** The longest wait of a call in milliseconds; 0 where none was measured. */
export function longestWaitMs(entries: readonly TimelineEntry[]): number {
  return Math.max(0, ...entries.map(({ latency }) => latency?.total_ms ?? 0));
}
