import type { NormalizedText, SpokenSpan } from "./span.js";

/** Passes after the first; text settles after one or two, the bound is for what nobody thought of. */
const MAX_PASSES = 4;

/**
 * Repeats `speak` on its own result until nothing changes, so that words which one reading laid bare (the "etc" of
 * "www.etc.") are read too, and the whole is idempotent. Spans of the result lead to the first text.
 */
export function settle(first: NormalizedText, speak: (text: string) => NormalizedText): NormalizedText {
  let settled = first;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = speak(settled.spoken);
    if (next.spoken === settled.spoken) break;
    settled = { spoken: next.spoken, spans: compose(settled.spans, next.spans) };
  }
  return settled;
}

/**
 * Spans from the second result to the first one's source. Where one word became several or several one, they share a
 * span.
 */
function compose(earlier: readonly SpokenSpan[], later: readonly SpokenSpan[]): SpokenSpan[] {
  const composed: SpokenSpan[] = [];
  let from = 0;
  for (const span of later) {
    while ((earlier[from]?.spokenEnd ?? Infinity) <= span.sourceStart) from++;
    const first = earlier[from];
    if (first === undefined) break;
    let last = first;
    for (let at = from + 1; (earlier[at]?.spokenStart ?? Infinity) < span.sourceEnd; at++) last = earlier[at] ?? last;
    const previous = composed.at(-1);
    if (previous !== undefined && previous.sourceEnd > first.sourceStart) {
      previous.spokenEnd = span.spokenEnd;
      previous.sourceEnd = Math.max(previous.sourceEnd, last.sourceEnd);
    } else {
      composed.push({
        spokenStart: span.spokenStart,
        spokenEnd: span.spokenEnd,
        sourceStart: first.sourceStart,
        sourceEnd: last.sourceEnd,
      });
    }
  }
  return composed;
}
