/** What was looked at, a line each, and what of it was not as it should be. */
export class Report {
  readonly failures: string[] = [];
  checks = 0;
  #lastMs = performance.now();

  /** Writes what was looked at; `detail` where it is not so. */
  check(isTrue: boolean, what: string, detail: string | readonly string[] = ""): void {
    this.checks++;
    const nowMs = performance.now();
    const seconds = ((nowMs - this.#lastMs) / 1000).toFixed(1).padStart(6);
    this.#lastMs = nowMs;
    console.log(`${seconds} s  ${isTrue ? "ok    " : "FAILED"}  ${what}`);
    if (isTrue) return;
    this.failures.push(what);
    const more = typeof detail === "string" ? detail : detail.join("\n");
    if (more !== "") console.log(more.replace(/^/gm, "            "));
  }

  /** Writes that a list of what is wrong is empty. */
  none(wrong: readonly string[], what: string): void {
    this.check(wrong.length === 0, what, wrong);
  }
}
