import { ListField } from "../parts/list-field.js";
import { TextField } from "../parts/text-field.js";

interface NamedText {
  name: string;
  text: string;
}

interface NamedTextsProps {
  label: string;
  help: string;
  problem: string | undefined;
  /** What one of them is. */
  noun: string;
  /** Of the text's field. */
  textLabel: string;
  items: readonly NamedText[];
  onChange: (items: NamedText[]) => void;
}

/** Any number of names, each with a text. */
export function NamedTexts({ textLabel, ...list }: NamedTextsProps) {
  return (
    <ListField {...list} newItem={() => ({ name: "", text: "" })}>
      {({ name, text }, change, index) => (
        <div className="row">
          <TextField label={`Name ${index + 1}`} value={name} onChange={(changed) => change({ name: changed })} />
          <TextField
            label={`${textLabel} ${index + 1}`}
            value={text}
            onChange={(changed) => change({ text: changed })}
          />
        </div>
      )}
    </ListField>
  );
}
