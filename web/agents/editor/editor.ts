import type { Problem } from "../../api/request.js";
import type { DraftValues, FieldPath } from "./draft-values.js";

/** What every part of the editor works on. */
export interface Editor {
  values: DraftValues;
  /** Puts a value at a path of the edited draft. */
  change: (path: FieldPath, value: unknown) => void;
  problems: readonly Problem[];
}
