import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { NumberField as AriaNumberField } from "react-aria-components/NumberField";
import { Text } from "react-aria-components/Text";

interface NumberFieldProps {
  label: string;
  help?: string | undefined;
  problem?: string | undefined;
  /** Null where nothing stands in the field. */
  value: number | null;
  onChange: (value: number | null) => void;
  minValue?: number | undefined;
  maxValue?: number | undefined;
  step?: number | undefined;
  isDisabled?: boolean | undefined;
}

/** A field for a number, which may be empty. */
export function NumberField({ label, help, problem, value, onChange, ...field }: NumberFieldProps) {
  return (
    <AriaNumberField
      {...(field as object)}
      className="field"
      // A problem that the server named must not keep the form from being sent again.
      validationBehavior="aria"
      // Otherwise the shown number is rounded to three places.
      formatOptions={{ maximumFractionDigits: 6, useGrouping: false }}
      value={value ?? Number.NaN}
      onChange={(entered) => onChange(Number.isNaN(entered) ? null : entered)}
      isInvalid={problem !== undefined}
    >
      <Label>{label}</Label>
      <Input />
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="problem">{problem}</FieldError>
    </AriaNumberField>
  );
}
