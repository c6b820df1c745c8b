import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from "react-aria-components/TextField";

interface TextFieldProps extends Omit<AriaTextFieldProps, "children" | "className"> {
  label: string;
  /** What the field does, in a sentence. */
  help?: string | undefined;
  /** What is wrong with what stands in it. */
  problem?: string | undefined;
  placeholder?: string | undefined;
  /** More than one: a field of so many lines. */
  lines?: number | undefined;
}

/** A field for text, with its label, help and problem tied to it. */
export function TextField({ label, help, problem, placeholder, lines = 1, ...field }: TextFieldProps) {
  return (
    // `aria`: a problem that the server named must not keep the form from being sent again.
    <AriaTextField {...field} className="field" validationBehavior="aria" isInvalid={problem !== undefined}>
      <Label>{label}</Label>
      {lines > 1 ? <TextArea rows={lines} placeholder={placeholder} /> : <Input placeholder={placeholder} />}
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="problem">{problem}</FieldError>
    </AriaTextField>
  );
}
