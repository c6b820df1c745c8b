import type { CallerEvent } from "#protocol/bus/conversation";

/** Something that a caller did, and when this runtime or the earlier one received it, on one clock. */
export interface ReceivedEvent {
  event: CallerEvent;
  atMs: number;
}

/** One event reaches two runtimes of a room within so much of each other, even where one of them is busy. */
const SAME_WITHIN_MS = 3000;
/** Nobody presses a key again sooner than this. */
const REPEATED_AFTER_MS = 150;
/** What came here so much before the earlier runtime was asked, it had received too. */
const SURELY_SHARED_MS = 250;

/** What a caller did, as far as two runtimes know. */
export interface JoinedEvents {
  /** Each once and in order. */
  events: CallerEvent[];
  /** The last of them, which the earlier runtime received and which are still on their way to this one. */
  echoes: CallerEvent[];
}

/**
 * Joins what two runtimes received of a caller that were in the room together for a moment: the room gives packets no
 * number. Each received a run of events without a gap, the earlier runtime until it was asked at `askedMs`, and the
 * other from a while before that on, though perhaps later: so the end of the one is the beginning of the other. A message
 * that fits is the same one, also where one runtime was busy. Where keys were pressed again, the times decide.
 */
export function joinEvents(
  earlier: readonly ReceivedEvent[],
  own: readonly ReceivedEvent[],
  askedMs: number,
): JoinedEvents {
  const events = earlier.map(({ event }) => event);
  if (own[0] === undefined) {
    const echoes = earlier.filter(({ atMs }) => atMs > askedMs - SURELY_SHARED_MS).map(({ event }) => event);
    return { events, echoes };
  }
  const isShared = own[0].atMs < askedMs - SURELY_SHARED_MS;
  let from = earlier.length;
  let leastMs = Number.POSITIVE_INFINITY;
  for (let at = earlier.length - 1; at >= 0; at--) {
    const run = earlier.slice(at, at + own.length);
    const apartMs = mostApartMs(run, own);
    const mostMs = isShared || isDistinct(run) ? SAME_WITHIN_MS : REPEATED_AFTER_MS;
    if (apartMs >= Math.min(leastMs, mostMs)) continue;
    from = at;
    leastMs = apartMs;
  }
  const shared = earlier.length - from;
  return {
    events: [...events, ...own.slice(shared).map(({ event }) => event)],
    echoes: events.slice(from + own.length),
  };
}

/** Whether two events of a caller are one as far as can be told. */
export const isSameEvent = (one: CallerEvent, other: CallerEvent): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** How far apart in time the events of one run came in the other's beginning; infinity where they are others. */
function mostApartMs(run: readonly ReceivedEvent[], other: readonly ReceivedEvent[]): number {
  const apartMs = run.map(({ event, atMs }, index) => {
    const found = other[index];
    return found !== undefined && isSameEvent(found.event, event)
      ? Math.abs(found.atMs - atMs)
      : Number.POSITIVE_INFINITY;
  });
  return Math.max(0, ...apartMs);
}

/** Whether a run is unlikely to come again: whoever sends the same message twice within seconds means it once. */
const isDistinct = (run: readonly ReceivedEvent[]): boolean => run.some(({ event }) => event.type !== "key");
