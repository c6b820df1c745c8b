import { Button } from "react-aria-components/Button";
import { TextField } from "./text-field.js";

interface TextRowsProps {
  /** Of all rows. */
  label: string;
  /** Of one row, before its number. */
  rowLabel: string;
  help?: string | undefined;
  problem?: string | undefined;
  values: readonly string[];
  onChange: (values: string[]) => void;
}

/** Any number of texts, a field each. */
export function TextRows({ label, rowLabel, help, problem, values, onChange }: TextRowsProps) {
  return (
    <fieldset className="rows">
      <legend>{label}</legend>
      {help === undefined ? null : <p className="help">{help}</p>}
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <div key={at} className="row">
          <TextField
            label={`${rowLabel} ${at + 1}`}
            value={value}
            lines={2}
            onChange={(changed) => onChange(values.with(at, changed))}
          />
          <Button
            className="button quiet"
            aria-label={`Remove: ${rowLabel} ${at + 1}`}
            onPress={() => onChange(values.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      {problem === undefined ? null : <p className="problem">{problem}</p>}
      <Button className="button quiet" onPress={() => onChange([...values, ""])}>
        Add: {rowLabel.toLowerCase()}
      </Button>
    </fieldset>
  );
}
