/** How a search for the largest clean number of streams goes on. */
export interface SearchBounds {
  firstStreams: number;
  mostStreams: number;
  mostRuns: number;
}

/** Closer than this to each other, two numbers of streams are called the same. */
const CLOSE_ENOUGH = 1.1;

/**
 * The next number of streams to try: doubled while runs are clean, halved while none is, then between the largest clean
 * and the smallest that was not. Null when the search is over.
 */
export function nextCount(
  outcomes: readonly { streams: number; clean: boolean }[],
  bounds: SearchBounds,
): number | null {
  if (outcomes.length >= bounds.mostRuns) return null;
  if (outcomes.length === 0) return bounds.firstStreams;
  const clean = Math.max(0, ...outcomes.filter((outcome) => outcome.clean).map(({ streams }) => streams));
  const broken = Math.min(
    Number.POSITIVE_INFINITY,
    ...outcomes.filter((outcome) => !outcome.clean).map(({ streams }) => streams),
  );
  if (broken <= 1 || clean >= bounds.mostStreams || broken / clean <= CLOSE_ENOUGH || clean > broken) return null;
  if (broken === Number.POSITIVE_INFINITY) return Math.min(bounds.mostStreams, clean * 2);
  const next = Math.round((clean + broken) / 2);
  return next === clean || next === broken ? null : next;
}
