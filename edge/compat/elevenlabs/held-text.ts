import { stallMs } from "#speech/chunking/pace";

/** After a trigger, text waits no longer than this for the rest of its phrase. */
const TRIGGERED_WAIT_MS = 300;

/** Something that is spoken when time has come and no more text. */
export interface Release {
  atMs: number;
  what: "finished sentences" | "everything";
}

/** When text that the chunker holds back is spoken, counted from the arrival of the last text; earliest first. */
export function releasesOf({ lastTextAtMs, isTriggered }: { lastTextAtMs: number; isTriggered: boolean }): Release[] {
  const releases: Release[] = [{ atMs: lastTextAtMs + stallMs.low, what: "finished sentences" }];
  if (isTriggered) releases.push({ atMs: lastTextAtMs + TRIGGERED_WAIT_MS, what: "everything" });
  return releases;
}
