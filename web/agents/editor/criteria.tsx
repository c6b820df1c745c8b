import { ListField } from "../../parts/list-field.js";
import { TextField } from "../../parts/text-field.js";
import { listProps, type PartProps } from "./list-props.js";

interface Criterion {
  name: string;
  description: string;
}

/** What calls are judged by. */
export function Criteria(props: PartProps) {
  const { shared, problemOf } = listProps<Criterion>(props);
  return (
    <ListField {...shared} noun="criterion" newItem={() => ({ name: "", description: "" })}>
      {(criterion, change, index) => (
        <>
          <TextField
            label="Name"
            help="Small letters, digits and _, such as was_polite."
            value={criterion.name}
            onChange={(name) => change({ name })}
            problem={problemOf(index, "name")}
          />
          <TextField
            label="When it is met"
            value={criterion.description}
            onChange={(description) => change({ description })}
            problem={problemOf(index, "description")}
          />
        </>
      )}
    </ListField>
  );
}
