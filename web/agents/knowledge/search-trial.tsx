import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import type { KnowledgeSearchResult } from "#protocol/knowledge";
import { ask } from "../../api/request.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { problemAt, refusedFields } from "../problems.js";
import { KNOWLEDGE } from "./knowledge-queries.js";

/** Shows which passages the agent would be given for what a caller says. */
export function SearchTrial({ sourceIds }: { sourceIds: readonly string[] }) {
  const [query, setQuery] = useState("");
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      ask<KnowledgeSearchResult>("POST", `${KNOWLEDGE}/search`, { query, knowledge_source_ids: sourceIds }),
  });
  const problems = refusedFields(error);
  if (sourceIds.length === 0) return null;
  return (
    <section className="card group" aria-labelledby="trial">
      <h2 id="trial">Try a search</h2>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== "") mutate();
        }}
      >
        <TextField
          label="What a caller says"
          help="Looks into the newest text of the attached sources, as a call of the draft would."
          value={query}
          onChange={setQuery}
          problem={problemAt(problems, ["query"])}
        />
        <Button className="button" type="submit" isDisabled={isPending || query.trim() === ""}>
          Search
        </Button>
      </Form>
      {error === null || problems.length > 0 ? null : <FailureNote doing="Nothing was searched" error={error} />}
      {data === undefined ? null : <Passages passages={data.passages} />}
    </section>
  );
}

function Passages({ passages }: { passages: KnowledgeSearchResult["passages"] }) {
  if (passages.length === 0)
    return (
      <p className="note after" role="status">
        No passage shares a word with this: the agent would answer from its instructions alone.
      </p>
    );
  return (
    <ol className="versions after">
      {passages.map(({ knowledge_source_id: id, source_name: source, heading, content, score }) => (
        <li key={`${id} ${content}`}>
          <h3>{heading === "" ? source : `${source}: ${heading}`}</h3>
          <p className="passage">{content}</p>
          <p className="soft">Score {score.toFixed(2)}</p>
        </li>
      ))}
    </ol>
  );
}
