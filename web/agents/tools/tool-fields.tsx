import { FieldControl } from "../editor/field-control.js";
import type { Editor } from "../editor/editor.js";
import { ToolArguments } from "./tool-arguments.js";
import { requestFields, answerFields, identityFields, typeField } from "./tool-field-list.js";
import { ToolHeaders } from "./tool-headers.js";
import { ToolMocks } from "./tool-mocks.js";
import { hasField } from "./tool-values.js";

/** The fields that tools of this one's type have. */
export function ToolFields({ editor, isNew }: { editor: Editor; isNew: boolean }) {
  const shown = (fields: typeof requestFields) =>
    fields
      .filter(({ path: [name = ""] }) => hasField(editor.values, name))
      .map((field) => <FieldControl key={field.path.join(".")} field={field} editor={editor} />);
  const hasRequest = hasField(editor.values, "url");
  return (
    <>
      <section className="card group" aria-label="What it is">
        {isNew ? shown([typeField]) : null}
        {shown(identityFields.filter(({ path: [name] }) => isNew || name !== "integration"))}
        <ToolArguments editor={editor} />
      </section>
      {hasRequest ? (
        <section className="card group" aria-label="The request">
          {shown(requestFields)}
          <ToolHeaders editor={editor} />
        </section>
      ) : null}
      <section className="card group" aria-label="The answer">
        {shown(answerFields)}
        <ToolMocks editor={editor} />
      </section>
    </>
  );
}
