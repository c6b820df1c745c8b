import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { AgentEntity, AgentUpdate } from "#protocol/agents/agent";
import { ask } from "../../api/request.js";
import { ConfirmedButton } from "../../parts/confirmed-button.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentKey, agentPath, agentQuery, agentsKey } from "../agent-queries.js";
import { problemAt } from "../problems.js";
import { useAgentUpdate } from "../agent/use-agent-update.js";

/** The tab with what an agent is called, and what ends it. */
export function Settings() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const { data } = useQuery(agentQuery(agentId));
  if (data === undefined) return null;
  return (
    <div className="narrow">
      <Names key={agentId} agent={data} />
      <End agent={data} />
    </div>
  );
}

function Names({ agent }: { agent: AgentEntity }) {
  const [given, setGiven] = useState<AgentUpdate>({});
  const { save, isPending, isSaved, error, problems } = useAgentUpdate(agent.agent_id);
  const shown = { name: agent.name, description: agent.description, ...given };
  const isSame = shown.name === agent.name && shown.description === agent.description;
  return (
    <section className="card group" aria-labelledby="names">
      <h2 id="names">Name</h2>
      <TextField
        label="Name"
        value={shown.name}
        onChange={(name) => setGiven({ ...given, name })}
        problem={problemAt(problems, ["name"])}
      />
      <TextField
        label="Description"
        help="Only your team reads it."
        lines={3}
        value={shown.description}
        onChange={(description) => setGiven({ ...given, description })}
        problem={problemAt(problems, ["description"])}
      />
      {error === null || problems.length > 0 ? null : <FailureNote doing="It was not saved" error={error} />}
      <div className="actions">
        <Button className="button" isDisabled={isPending || isSame} onPress={() => save(given)}>
          Save
        </Button>
        <span role="status">{isSaved && isSame ? "Saved." : ""}</span>
      </div>
    </section>
  );
}

function End({ agent }: { agent: AgentEntity }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { save, isPending, error } = useAgentUpdate(agent.agent_id);
  const isArchived = agent.status === "archived";
  return (
    <section className="card group" aria-labelledby="end">
      <h2 id="end">Archive or delete</h2>
      <p>
        {isArchived
          ? "This agent is archived: nobody can begin a session with it."
          : "An archived agent is not listed, and nobody can begin a session with it. It can be brought back."}
      </p>
      {error === null ? null : <FailureNote doing="It was not saved" error={error} />}
      <div className="actions">
        <Button
          className="button quiet"
          isDisabled={isPending}
          onPress={() => save({ status: isArchived ? "active" : "archived" })}
        >
          {isArchived ? "Bring it back" : "Archive"}
        </Button>
        <ConfirmedButton
          className="button danger"
          label="Delete"
          title={`Delete ${agent.name}?`}
          text="Its configuration and all its versions are gone then. Its calls stay."
          action="Delete the agent"
          run={() => ask<void>("DELETE", agentPath(agent.agent_id))}
          onDone={async () => {
            await navigate({ to: "/agents" });
            queries.removeQueries({ queryKey: agentKey(agent.agent_id) });
            await queries.invalidateQueries({ queryKey: agentsKey });
          }}
        />
      </div>
    </section>
  );
}
