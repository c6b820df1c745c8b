import type { Ends } from "./cell.js";
import type { StreamResult } from "./streams.js";
import type { Bill } from "./usage.js";

/** What is held against what. */
export interface Evidence {
  streams: readonly StreamResult[];
  bill: Bill;
  reference: { streams: readonly StreamResult[]; bill: Bill };
  ends: Ends;
  /** How much later than undisturbed a stream may end. */
  boundMs: number;
}

export interface Verdict {
  violations: string[];
  complete: number;
  errors: number;
  lateMs: number;
}

/**
 * Judges the streams of a cell: none hangs or is later than its bound, each ends exactly once, what says that it is
 * complete is, what was given is the beginning of what would have been given, and nothing is charged twice.
 */
export function judge({ streams, bill, reference, ends, boundMs }: Evidence): Verdict {
  const late = streams.map(({ tookMs }, index) => tookMs - (reference.streams[index]?.tookMs ?? 0));
  const lateMs = Math.max(0, Math.round(Math.max(...late)));
  const violations = streams.flatMap((stream, index) =>
    judgeStream(stream, reference.streams[index]?.audio ?? new Uint8Array(), ends).map(
      (violation) => `stream ${index}: ${violation}`,
    ),
  );
  if (lateMs > boundMs)
    violations.push(`a stream ended ${lateMs} ms later than undisturbed, ${boundMs} ms are allowed`);
  const mustBe = reference.bill;
  const isCharged = ends === "all-audio" ? bill.characters === mustBe.characters : bill.characters <= mustBe.characters;
  if (!isCharged || bill.requests > mustBe.requests || (ends === "all-audio" && bill.requests < mustBe.requests))
    violations.push(
      `charged for ${bill.characters} characters in ${bill.requests} requests, undisturbed ${mustBe.characters} in ${mustBe.requests}`,
    );
  const complete = streams.filter(({ end }) => end === "complete").length;
  return { violations, complete, errors: streams.length - complete, lateMs };
}

function judgeStream({ audio, end, ends, detail }: StreamResult, whole: Uint8Array, allowed: Ends): string[] {
  const got = Buffer.from(audio);
  const violations: string[] = [];
  if (end === "hang") return [detail];
  if (ends !== 1) violations.push(`ended ${ends} times`);
  if (end === "complete" && !got.equals(whole))
    violations.push(`says that it is complete with ${got.byteLength} bytes, undisturbed ${whole.byteLength}`);
  if (end === "error" && !got.equals(whole.subarray(0, got.byteLength)))
    violations.push(`gave ${got.byteLength} bytes that are not the beginning of the undisturbed ones`);
  if (end === "error" && allowed === "all-audio") violations.push(`failed: ${detail}`);
  return violations;
}
