import { type CompatOperation, isSet, type ParameterPlace, valueAt } from "#protocol/compat/parameter";
import { ServiceError } from "#protocol/errors";

/**
 * Throws `refused_parameter` for the first refused parameter of an operation that is set among `values`, which came in
 * `place`.
 */
export function refuseParameters(operation: CompatOperation, place: ParameterPlace, values: unknown): void {
  for (const row of operation.parameters) {
    if (row.treatment !== "refused" || row.place !== place) continue;
    const value = valueAt(values, row.name.replace(/\[\]$/, ""));
    const asksForIt =
      row.refusedWhenOff === true
        ? value !== undefined && value !== null && value !== "" && !isSet(value)
        : isSet(value);
    if (asksForIt && row.harmless?.includes(value) !== true) {
      throw new ServiceError("refused_parameter", { parameters: { parameter: row.name, detail: row.note } });
    }
  }
}
