import { lifecycleStates, roles } from "#protocol/bus/membership";

/** Methods of HTTP (RFC 9110 section 9, RFC 5789). */
const httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"];

/** Stands for every value outside its label's set. */
export const OTHER = "_OTHER";

/**
 * Every label of every metric, with the values that it may have: a new value is a new series for ever, so none may be a
 * stranger's choice. `operator` marks values that whoever runs the cluster chooses (names of model folders) or that
 * stand in the code (patterns of routes).
 */
export const metricLabels = {
  route: "operator",
  model: "operator",
  method: new Set(httpMethods),
  status: /^[1-5]\d\d$/,
  source: new Set(["memory", "redis", "control-plane", "client", "webhook", "builtin", "background"]),
  member_role: new Set<string>(roles),
  state: new Set<string>(lifecycleStates),
  outcome: new Set([
    "completed",
    "cancelled",
    "failed",
    "spoken",
    "recognized",
    "ok",
    "refused",
    "settled",
    "repeated",
    "dropped",
    "ended",
    "handed-over",
    "lost",
    "stored",
    "passed",
    "error",
    "skipped",
  ]),
  part: new Set([
    "parse",
    "queue",
    "engine",
    "return",
    "encode",
    "endpointing",
    "recognition",
    "model",
    "clause",
    "audio",
  ]),
  verdict: new Set(["refused", "lost"]),
  kind: "operator",
} as const satisfies Record<string, "operator" | ReadonlySet<string> | RegExp>;

export type LabelName = keyof typeof metricLabels;

/** The value itself where its label may have it, else `OTHER`. */
export function boundedLabel(name: LabelName, value: string): string {
  const allowed = metricLabels[name];
  if (allowed === "operator") return value;
  return (allowed instanceof RegExp ? allowed.test(value) : allowed.has(value)) ? value : OTHER;
}
