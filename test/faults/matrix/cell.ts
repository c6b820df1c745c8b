import type { StartBeside } from "./beside.js";
import type { Fault } from "./fault.js";
import type { Setting } from "./setting.js";

/** When a fault comes: before a stream is accepted, before its first audio, in the middle of it, at its end. */
export const stages = ["connect", "first-audio", "mid-stream", "finalising"] as const;
export type Stage = (typeof stages)[number];

/** What a stream may come to: all of its audio, or besides one clear error. */
export type Ends = "all-audio" | "all-audio-or-error";

/** How a cell is proved. */
export type Proof =
  /** `npm run faults` does it to real processes. */
  | {
      kind: "scenario";
      under: Setting;
      fault: Fault;
      /** What goes on beside the streams. */
      beside?: StartBeside;
      ends: Ends;
      /** How much later than in the undisturbed run a stream may end. */
      boundMs: number;
    }
  /** Tests of `npm test`; `name` stands in the file as it is here. */
  | { kind: "test"; tests: readonly { file: string; name: string }[] }
  /** Nothing is run; why the promise holds all the same, or does not concern this service. */
  | { kind: "reasoned"; why: string };

export interface Cell {
  promise: string;
  proof: Proof;
}

/** One component and one fault, at each stage. */
export interface Row {
  id: string;
  component: string;
  fault: string;
  cells: Readonly<Record<Stage, Cell>>;
}
