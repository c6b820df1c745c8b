import { useId } from "react";
import { Switch } from "react-aria-components/Switch";

interface SwitchFieldProps {
  label: string;
  help?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean | undefined;
}

/** Something that is on or off. */
export function SwitchField({ label, help, isOn, onChange, isDisabled = false }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <Switch
        className="switch"
        isSelected={isOn}
        isDisabled={isDisabled}
        onChange={onChange}
        {...(help === undefined ? {} : { "aria-describedby": id })}
      >
        <span className="switch-track" aria-hidden="true" />
        {label}
      </Switch>
      {help === undefined ? null : (
        <span id={id} className="help">
          {help}
        </span>
      )}
    </div>
  );
}
