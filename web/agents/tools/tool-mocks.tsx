import { ListField } from "../../parts/list-field.js";
import { NumberField } from "../../parts/number-field.js";
import { TextField } from "../../parts/text-field.js";
import type { Editor } from "../editor/editor.js";
import { listProps } from "../editor/list-props.js";

interface MockResponse {
  name: string;
  status_code: number | null;
  content_type: string;
  body: string;
}

const field = {
  path: ["mock_responses"],
  label: "Answers for tests",
  help: "Tests of agents take them in place of real requests.",
};

/** What a tool answers where an agent is tested. */
export function ToolMocks({ editor }: { editor: Editor }) {
  const { shared, problemOf } = listProps<MockResponse>({ field, editor });
  const newItem = (): MockResponse => ({ name: "", status_code: 200, content_type: "application/json", body: "" });
  return (
    <ListField {...shared} noun="test answer" newItem={newItem}>
      {(mock, change, index) => (
        <>
          <TextField
            label="What it is for"
            value={mock.name}
            onChange={(name) => change({ name })}
            problem={problemOf(index, "name")}
          />
          <NumberField
            label="Status"
            help="From 100 to 599."
            value={mock.status_code}
            onChange={(status_code) => change({ status_code })}
            problem={problemOf(index, "status_code")}
          />
          <TextField
            label="Kind of body"
            value={mock.content_type}
            onChange={(content_type) => change({ content_type })}
            problem={problemOf(index, "content_type")}
          />
          <TextField
            label="Body of the answer"
            lines={3}
            value={mock.body}
            onChange={(body) => change({ body })}
            problem={problemOf(index, "body")}
          />
        </>
      )}
    </ListField>
  );
}
