import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { FileTrigger } from "react-aria-components/FileTrigger";
import { ask } from "../../api/request.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentsKey } from "../agent-queries.js";
import { problemAt, refusedFields } from "../problems.js";
import { knowledgeKey } from "./knowledge-queries.js";
import { isText, type SourceValues, sourceForm } from "./source-values.js";

interface SourceFormProps {
  method: "POST" | "PATCH";
  path: string;
  stored: SourceValues;
  /** The word on the button that sends it. */
  action: string;
  onClose: () => void;
}

/** Name, description and text of a source; the text may come from a file. */
export function SourceForm({ method, path, stored, action, onClose }: SourceFormProps) {
  const [values, setValues] = useState<SourceValues>({
    name: stored.name,
    description: stored.description,
    content: stored.content,
  });
  const [fileProblem, setFileProblem] = useState<string>();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<unknown>(method, path, sourceForm(stored, values)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: knowledgeKey });
      void queries.invalidateQueries({ queryKey: ["agent"] });
      void queries.invalidateQueries({ queryKey: agentsKey });
      onClose();
    },
  });
  const problems = refusedFields(error);
  const take = async (file: File): Promise<void> => {
    const text = await file.text();
    setFileProblem(isText(text) ? undefined : `${file.name} is no text in UTF-8.`);
    if (isText(text)) setValues((before) => ({ ...before, content: text, name: before.name || file.name }));
  };
  return (
    <>
      <TextField
        label="Name"
        value={values.name}
        onChange={(name) => setValues({ ...values, name })}
        problem={problemAt(problems, ["name"])}
      />
      <TextField
        label="Description"
        value={values.description}
        onChange={(description) => setValues({ ...values, description })}
        problem={problemAt(problems, ["description"])}
      />
      <TextField
        label="Text"
        help="Plain text or Markdown, at most 1 MB. Headings divide it into passages."
        lines={8}
        value={values.content}
        onChange={(content) => setValues({ ...values, content })}
        problem={problemAt(problems, ["source"]) ?? fileProblem}
      />
      {error === null || problems.length > 0 ? null : <FailureNote doing="It was not saved" error={error} />}
      <div className="actions">
        <Button
          className="button"
          isDisabled={isPending || values.content === "" || values.name === ""}
          onPress={() => mutate()}
        >
          {action}
        </Button>
        <FileTrigger
          acceptedFileTypes={[".txt", ".md"]}
          onSelect={(files) => {
            const file = files?.[0];
            if (file !== undefined) void take(file);
          }}
        >
          <Button className="button quiet">Take a file's text</Button>
        </FileTrigger>
        <Button className="button quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </>
  );
}
