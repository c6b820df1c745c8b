import { dataFieldTypes } from "#protocol/agents/config-values";
import { ListField } from "../../parts/list-field.js";
import { SelectField } from "../../parts/select-field.js";
import { TextField } from "../../parts/text-field.js";
import { problemsWithin } from "../problems.js";
import { choicesOf } from "./config-field.js";
import { listProps, type PartProps } from "./list-props.js";

interface DataField {
  name: string;
  type: (typeof dataFieldTypes)[number];
  description: string;
  enum_options: string[] | null;
}

const types = choicesOf(dataFieldTypes, {
  boolean: "Yes or no",
  text: "Text",
  number: "Number",
  enum: "One of a list",
});

/** What is taken from each call. */
export function DataFields(props: PartProps) {
  const { shared, problemOf } = listProps<DataField>(props);
  const { field, editor } = props;
  const newItem = (): DataField => ({ name: "", type: "text", description: "", enum_options: null });
  return (
    <ListField {...shared} noun="data field" newItem={newItem}>
      {(item, change, index) => (
        <>
          <TextField
            label="Name"
            help="Small letters, digits and _, such as order_number."
            value={item.name}
            onChange={(name) => change({ name })}
            problem={problemOf(index, "name")}
          />
          <SelectField
            label="Kind"
            value={item.type}
            choices={types as { value: DataField["type"]; label: string }[]}
            onChange={(type) => change({ type, enum_options: type === "enum" ? (item.enum_options ?? []) : null })}
            problem={problemOf(index, "type")}
          />
          <TextField
            label="What it is"
            value={item.description}
            onChange={(description) => change({ description })}
            problem={problemOf(index, "description")}
          />
          {item.type === "enum" ? (
            <TextField
              label="Values"
              help="2 to 20, one in each line."
              lines={3}
              value={(item.enum_options ?? []).join("\n")}
              onChange={(text) => change({ enum_options: text === "" ? [] : text.split("\n") })}
              problem={problemsWithin(editor.problems, [...field.path, String(index), "enum_options"])}
            />
          ) : null}
        </>
      )}
    </ListField>
  );
}
