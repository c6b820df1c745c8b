import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { PhoneEntity } from "#protocol/agents/phone";
import { ask } from "../api/request.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { addressesOf } from "./addresses.js";
import { AgentField } from "./agent-field.js";
import { problemOf, renewNumbers } from "./phone-query.js";

const empty = {
  ...{ phone_number: "", label: "", agent_id: "", addresses: "" },
  ...{ inbound_auth_username: "", inbound_auth_password: "", termination_uri: "" },
  ...{ termination_auth_username: "", termination_auth_password: "" },
};
type Draft = typeof empty;

const fields: readonly { name: keyof Draft; label: string; help?: string; isSecret?: true }[] = [
  { name: "phone_number", label: "Number to import", help: "With the country: +4930123456." },
  { name: "label", label: "Label" },
  {
    name: "addresses",
    label: "Addresses that calls come from",
    help: "Of your carrier, such as 203.0.113.0/24. Without any, a user name and a password are needed.",
  },
  { name: "inbound_auth_username", label: "User name of calls that come in" },
  { name: "inbound_auth_password", label: "Password of calls that come in", isSecret: true },
  {
    name: "termination_uri",
    label: "Where calls go out",
    help: "Host and port of your carrier's trunk. Empty: no calls leave from the number.",
  },
  { name: "termination_auth_username", label: "User name of calls that go out" },
  { name: "termination_auth_password", label: "Password of calls that go out", isSecret: true },
];

/** A form that brings a number of the team's own SIP trunk. */
export function ImportNumber() {
  const [draft, setDraft] = useState<Draft>(empty);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const { addresses, agent_id, ...rest } = draft;
      const bound = agent_id === "" ? {} : { agent_id };
      const body = { provider: "sip", ...rest, ...bound, inbound_allowed_addresses: addressesOf(addresses) };
      return ask<PhoneEntity>("POST", "/v1/agent/phone-numbers", body);
    },
    onSuccess: () => {
      setDraft(empty);
      return renewNumbers(queries);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <form className="card below" aria-labelledby="import-number" onSubmit={submit}>
      <h2 id="import-number">Import a number</h2>
      <p className="soft">One that you have already, by a SIP trunk of your carrier. It costs nothing here.</p>
      {error === null ? null : <FailureNote doing="The number was not imported" error={error} />}
      {fields.map(({ name, label, help, isSecret }) => (
        <TextField
          key={name}
          label={label}
          help={help}
          type={isSecret === true ? "password" : "text"}
          autoComplete="off"
          value={draft[name]}
          problem={problemOf(error, name === "addresses" ? "inbound_allowed_addresses" : name)}
          onChange={(value) => setDraft({ ...draft, [name]: value })}
        />
      ))}
      <AgentField
        label="Agent that answers the imported number"
        none="nobody yet"
        value={draft.agent_id}
        onChange={(agent_id) => setDraft({ ...draft, agent_id })}
      />
      <button type="submit" className="button" disabled={isPending}>
        Import the number
      </button>
    </form>
  );
}
