import { useId } from "react";

interface DayFieldProps {
  label: string;
  /** YYYY-MM-DD; empty for none. */
  value: string;
  onChange: (value: string) => void;
}

/** A day, by the browser's own calendar. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}
