/** A length of time as people say it of calls: `0:07`, `12:30`, `1:02:03`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A moment in the reader's own time zone and manner; a dash for none. */
export function momentText(iso: string | null): string {
  return iso === null ? "–" : new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
