import { Button } from "react-aria-components/Button";
import { TextField } from "../parts/text-field.js";

interface PairRowsProps {
  /** Of all rows. */
  label: string;
  help?: string;
  problem?: string | undefined;
  /** Of the second field of a row; the first is its name. */
  valueLabel: string;
  /** What one row is. */
  rowName: string;
  pairs: readonly (readonly [name: string, value: string])[];
  onChange: (pairs: [name: string, value: string][]) => void;
}

/** Any number of names, each with a text. */
export function PairRows({ label, help, problem, valueLabel, rowName, pairs, onChange }: PairRowsProps) {
  const copy = pairs.map(([name, value]): [string, string] => [name, value]);
  return (
    <fieldset className="rows">
      <legend>{label}</legend>
      {help === undefined ? null : <p className="help">{help}</p>}
      {copy.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <div key={at} className="row">
          <TextField
            label={`Name ${at + 1}`}
            value={name}
            onChange={(changed) => onChange(copy.with(at, [changed, value]))}
          />
          <TextField
            label={`${valueLabel} ${at + 1}`}
            value={value}
            onChange={(changed) => onChange(copy.with(at, [name, changed]))}
          />
          <Button
            className="button quiet"
            aria-label={`Remove: ${rowName} ${at + 1}`}
            onPress={() => onChange(copy.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      {problem === undefined ? null : <p className="problem">{problem}</p>}
      <Button className="button quiet" onPress={() => onChange([...copy, ["", ""]])}>
        Add: {rowName}
      </Button>
    </fieldset>
  );
}
