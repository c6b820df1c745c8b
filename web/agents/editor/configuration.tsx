import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { ConfigEntity } from "#protocol/agents/config";
import { FailureNote } from "../../shell/failure-note.js";
import { draftQuery } from "../agent-queries.js";
import { problemsElsewhere } from "../problems.js";
import { FieldControl } from "./field-control.js";
import { fieldGroups } from "./field-groups.js";
import { LeaveDialog } from "./leave-dialog.js";
import { SaveBar } from "./save-bar.js";
import { useEditor } from "./use-editor.js";

/** The tab in which the draft is edited. */
export function Configuration() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const { data, error } = useQuery(draftQuery(agentId));
  if (data === undefined) return error === null ? null : <FailureNote doing="The draft cannot be read" error={error} />;
  return <ConfigurationForm key={agentId} config={data} />;
}

const shownPaths = fieldGroups.flatMap(({ fields }) => fields.map(({ path }) => path));

function ConfigurationForm({ config }: { config: ConfigEntity }) {
  const editor = useEditor(config);
  const place = useRef<HTMLDivElement>(null);
  const { refusals, problems } = editor;
  useEffect(() => {
    if (refusals > 0) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const homeless = problemsElsewhere(problems, shownPaths);
  return (
    <div className="editor" ref={place}>
      <nav className="contents" aria-label="Parts of the configuration">
        {fieldGroups.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
      <div>
        {fieldGroups.map(({ id, title, text, fields }) => (
          <section key={id} id={id} className="card group" aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>{title}</h2>
            {text === undefined ? null : <p className="soft">{text}</p>}
            {fields.map((field) => (
              <FieldControl key={field.path.join(".")} field={field} editor={editor} />
            ))}
          </section>
        ))}
        {homeless.length === 0 ? null : (
          <div className="note bad" role="alert">
            {homeless.map(({ path, message }) => (
              <p key={path.join(".") + message}>
                {path.join(".")}: {message}
              </p>
            ))}
          </div>
        )}
        {editor.error === null || problems.length > 0 ? null : (
          <FailureNote doing="The draft was not saved" error={editor.error} />
        )}
        <SaveBar editor={editor} noun="draft" />
      </div>
      <LeaveDialog isBlocking={editor.unsavedFields > 0} />
    </div>
  );
}
