import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { type AgentEntity, agentCreate } from "#protocol/agents/agent";
import { ask } from "../../api/request.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { storeAgent } from "../agent-queries.js";
import { problemAt, problemsOfValue, refusedFields } from "../problems.js";

/** Makes an agent and opens it. */
export function CreateAgent() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className="button" onPress={() => setIsOpen(true)}>
        Create an agent
      </Button>
      <Dialog title="A new agent" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <NewAgent onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function NewAgent({ onClose }: { onClose: () => void }) {
  const [given, setGiven] = useState({ name: "", description: "" });
  const [isTried, setIsTried] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<AgentEntity>("POST", "/v1/agent/agents", given),
    onSuccess: (agent) => {
      storeAgent(queries, agent);
      onClose();
      return navigate({ to: "/agents/$agentId", params: { agentId: agent.agent_id } });
    },
  });
  const found = isTried ? problemsOfValue(agentCreate, given) : [];
  const problems = found.length > 0 ? found : refusedFields(error);
  const create = (): void => {
    setIsTried(true);
    if (problemsOfValue(agentCreate, given).length === 0) mutate();
  };
  return (
    <Form
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <TextField
        label="Name"
        help="For your team and for the widget; the agent itself does not know it."
        autoFocus
        value={given.name}
        onChange={(name) => setGiven({ ...given, name })}
        problem={problemAt(problems, ["name"])}
      />
      <TextField
        label="Description"
        help="What it is for. Only your team reads it."
        lines={3}
        value={given.description}
        onChange={(description) => setGiven({ ...given, description })}
        problem={problemAt(problems, ["description"])}
      />
      {error === null || problems.length > 0 ? null : <FailureNote doing="No agent was made" error={error} />}
      <div className="actions">
        <Button className="button" type="submit" isDisabled={isPending}>
          Create
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
