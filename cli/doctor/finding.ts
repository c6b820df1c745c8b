/** One thing that was looked at. */
export interface Finding {
  subject: string;
  /** `missing` keeps Parley from running; `optional` does not. */
  state: "ok" | "missing" | "optional";
  detail: string;
  /** What to do about it. */
  remedy: string | null;
}
