import { useId } from "react";

interface SelectFieldProps<Value extends string> {
  label: string;
  help?: string | undefined;
  problem?: string | undefined;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  isDisabled?: boolean | undefined;
}

/** One of a few values. The browser's own control, which every device knows how to show. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, help, problem, value, choices, onChange, isDisabled } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        aria-invalid={problem === undefined ? undefined : true}
        aria-errormessage={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => {
          const chosen = choices.find((choice) => choice.value === event.target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {help === undefined ? null : (
        <span id={`${id}-help`} className="help">
          {help}
        </span>
      )}
      {problem === undefined ? null : (
        <span id={`${id}-problem`} className="problem">
          {problem}
        </span>
      )}
    </div>
  );
}
