import { transferModes, warmConnectModes } from "#protocol/agents/config-values";
import { ListField } from "../../parts/list-field.js";
import { SelectField } from "../../parts/select-field.js";
import { TextField } from "../../parts/text-field.js";
import { choicesOf } from "./config-field.js";
import { listProps, type PartProps } from "./list-props.js";

interface Destination {
  type: "phone";
  label: string;
  phone_number: string;
  mode: string;
  warm_connect: string;
}

const modes = choicesOf(transferModes, { cold: "Hand over at once", warm: "Speak with them first" });
const connects = choicesOf(warmConnectModes, { confirm: "When they agree", direct: "As soon as they answer" });

/** Numbers to which a caller may be handed over. */
export function Destinations(props: PartProps) {
  const { shared, problemOf } = listProps<Destination>(props);
  const newItem = (): Destination => ({
    type: "phone",
    label: "",
    phone_number: "",
    mode: "cold",
    warm_connect: "confirm",
  });
  return (
    <ListField {...shared} noun="destination" newItem={newItem}>
      {(item, change, index) => (
        <>
          <TextField
            label="Who it is"
            value={item.label}
            onChange={(label) => change({ label })}
            problem={problemOf(index, "label")}
          />
          <TextField
            label="Phone number"
            help="With plus and country code, such as +4930123456."
            type="tel"
            value={item.phone_number}
            onChange={(phone_number) => change({ phone_number })}
            problem={problemOf(index, "phone_number")}
          />
          <SelectField
            label="How"
            value={item.mode}
            choices={modes}
            onChange={(mode) => change({ mode })}
            problem={problemOf(index, "mode")}
          />
          <SelectField
            label="Connect the caller"
            help="Where the agent speaks with them first."
            value={item.warm_connect}
            choices={connects}
            onChange={(warm_connect) => change({ warm_connect })}
            problem={problemOf(index, "warm_connect")}
          />
        </>
      )}
    </ListField>
  );
}
