import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ConfigEntity } from "#protocol/agents/config";
import { publishRequest, type VersionSummary } from "#protocol/agents/version";
import { ask } from "../../api/request.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentKey, agentPath, agentsKey } from "../agent-queries.js";
import { problemAt, problemsOfValue, refusedFields } from "../problems.js";
import { Comparison } from "./comparison.js";

interface PublishProps {
  draft: ConfigEntity;
  /** The newest version, which sessions run; null before the first. */
  live: VersionSummary | null;
}

/** What publishing would change, and doing it. */
export function Publish({ draft, live }: PublishProps) {
  const isSame = live !== null && live.config_hash === draft.config_hash;
  return (
    <section className="card group" aria-labelledby="publish">
      <h2 id="publish">Draft and published</h2>
      {live === null ? (
        <p>This agent was never published: nobody can begin a session with it yet.</p>
      ) : isSame ? (
        <p>The draft is what is published, version {live.version_number}.</p>
      ) : (
        <Comparison agentId={draft.agent_id} versionNumber={live.version_number} draft={draft} />
      )}
      {isSame ? null : <PublishForm agentId={draft.agent_id} />}
    </section>
  );
}

function PublishForm({ agentId }: { agentId: string }) {
  const [title, setTitle] = useState("");
  const [description, setDescription] = useState("");
  const queries = useQueryClient();
  const label = {
    ...(title === "" ? {} : { version_title: title }),
    ...(description === "" ? {} : { version_description: description }),
  };
  const found = problemsOfValue(publishRequest, label);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<VersionSummary>("POST", agentPath(agentId, "/publish"), label),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: agentKey(agentId) });
      await queries.invalidateQueries({ queryKey: agentsKey });
    },
  });
  const problems = found.length > 0 ? found : refusedFields(error);
  return (
    <>
      <TextField
        label="Title of the version"
        help="What is new in it. May be empty."
        value={title}
        onChange={setTitle}
        problem={problemAt(problems, ["version_title"])}
      />
      <TextField
        label="Description of the version"
        lines={2}
        value={description}
        onChange={setDescription}
        problem={problemAt(problems, ["version_description"])}
      />
      {error === null || problems.length > 0 ? null : <FailureNote doing="It was not published" error={error} />}
      <Button className="button" isDisabled={isPending || found.length > 0} onPress={() => mutate()}>
        Publish
      </Button>
    </>
  );
}
