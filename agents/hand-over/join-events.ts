import type { CallerEvent } from "#protocol/bus/conversation";

/** Something that a caller did, and when this runtime or the earlier one received it, on one clock. */
export interface ReceivedEvent {
  event: CallerEvent;
  atMs: number;
}

/** One event reaches two runtimes of a room within so much of each other, even where one of them is busy. */
const SAME_WITHIN_MS = 500;
/** Nobody repeats anything, be it a key of a phone, sooner than this. */
const REPEATED_AFTER_MS = 150;
/** What came here so much before the earlier runtime was asked, it had received too. */
const SURELY_SHARED_MS = 250;

/**
 * What a caller did, each event once and in order, of what two runtimes received of it that were in the room together
 * for a moment: the room gives packets no number. Each received a run of events without a gap, the earlier runtime
 * until it was asked at `askedMs`, and the other from a while before that on: so the end of the one is the beginning of
 * the other. Where that fits in several ways, since the same was sent again, the times decide.
 */
export function joinEvents(
  earlier: readonly ReceivedEvent[],
  own: readonly ReceivedEvent[],
  askedMs: number,
): CallerEvent[] {
  const isShared = own[0] !== undefined && own[0].atMs < askedMs - SURELY_SHARED_MS;
  let leastMs = isShared ? SAME_WITHIN_MS : REPEATED_AFTER_MS;
  let shared = 0;
  for (let length = 1; length <= Math.min(earlier.length, own.length); length++) {
    const apartMs = mostApartMs(earlier.slice(-length), own);
    if (apartMs >= leastMs) continue;
    shared = length;
    leastMs = apartMs;
  }
  return [...earlier, ...own.slice(shared)].map(({ event }) => event);
}

/** How far apart in time the events of one run came in the other's beginning; infinity where they are others. */
function mostApartMs(run: readonly ReceivedEvent[], other: readonly ReceivedEvent[]): number {
  const apartMs = run.map(({ event, atMs }, index) => {
    const found = other[index];
    return found !== undefined && isSame(found.event, event) ? Math.abs(found.atMs - atMs) : Number.POSITIVE_INFINITY;
  });
  return Math.max(0, ...apartMs);
}

const isSame = (one: CallerEvent, other: CallerEvent): boolean => JSON.stringify(one) === JSON.stringify(other);
