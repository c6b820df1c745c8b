import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { PhoneEntity } from "#protocol/agents/phone";
import { ask } from "../api/request.js";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { AgentField } from "./agent-field.js";
import { problemOf } from "./phone-query.js";

/** A form that has an agent call somebody. */
export function PlaceCall({ numbers }: { numbers: readonly PhoneEntity[] }) {
  const [agentId, setAgentId] = useState("");
  const [numberId, setNumberId] = useState("");
  const [to, setTo] = useState("");
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      ask<{ session_id: string }>("POST", "/v1/agent/phone-calls", {
        ...{ agent_id: agentId, phone_number_id: numberId, to_number: to },
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  const choices = numbers
    .filter(({ status }) => status === "active")
    .map(({ phone_number_id, phone_number, label }) => ({
      value: phone_number_id,
      label: label === "" ? phone_number : `${phone_number} (${label})`,
    }));
  return (
    <form className="card below" aria-labelledby="place-call" onSubmit={submit}>
      <h2 id="place-call">Call somebody</h2>
      <p className="soft">The published version of the agent speaks. Every minute that has begun is charged.</p>
      {error === null ? null : <FailureNote doing="The call was not made" error={error} />}
      {data === undefined ? null : (
        <p role="status">
          The agent is calling.{" "}
          <Link to="/calls/$sessionId" params={{ sessionId: data.session_id }}>
            Open the call
          </Link>
        </p>
      )}
      <AgentField label="Agent that calls" none="Choose an agent" value={agentId} onChange={setAgentId} />
      <SelectField
        label="From"
        value={numberId}
        choices={[{ value: "", label: "Choose a number" }, ...choices]}
        onChange={setNumberId}
      />
      <TextField
        label="Number to call"
        help="With the country: +4930987654."
        value={to}
        problem={problemOf(error, "to_number")}
        onChange={setTo}
      />
      <button type="submit" className="button" disabled={isPending || agentId === "" || numberId === ""}>
        Call
      </button>
    </form>
  );
}
