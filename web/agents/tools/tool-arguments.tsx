import { ListField } from "../../parts/list-field.js";
import { TextField } from "../../parts/text-field.js";
import type { Editor } from "../editor/editor.js";
import { listProps } from "../editor/list-props.js";

interface Argument {
  name: string;
  description: string;
}

const field = { path: ["arguments"], label: "Arguments", help: "What the model fills in when it calls the tool." };

/** What the model gives to a tool. */
export function ToolArguments({ editor }: { editor: Editor }) {
  const { shared, problemOf } = listProps<Argument>({ field, editor });
  return (
    <ListField {...shared} noun="argument" newItem={() => ({ name: "", description: "" })}>
      {(argument, change, index) => (
        <>
          <TextField
            label="Argument"
            help="Its name in {{…}}."
            value={argument.name}
            onChange={(name) => change({ name })}
            problem={problemOf(index, "name")}
          />
          <TextField
            label="What it is"
            value={argument.description}
            onChange={(description) => change({ description })}
            problem={problemOf(index, "description")}
          />
        </>
      )}
    </ListField>
  );
}
