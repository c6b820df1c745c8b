/** What the meter shows as nothing, and what as full: decibels below full scale. */
const QUIETEST_DB = -60;

/** How loud the microphone is; `level` is the root mean square of a moment, 1 is full scale. */
export function LevelMeter({ level }: { level: number }) {
  const decibels = level === 0 ? QUIETEST_DB : Math.max(QUIETEST_DB, 20 * Math.log10(level));
  return <meter className="level" aria-label="Microphone level" min={0} max={1} value={1 - decibels / QUIETEST_DB} />;
}
