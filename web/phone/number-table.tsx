import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { PhoneEntity } from "#protocol/agents/phone";
import { agentNamesQuery } from "../agents/agent-names.js";
import { ask } from "../api/request.js";
import { ConfirmedButton } from "../parts/confirmed-button.js";
import { FailureNote } from "../shell/failure-note.js";
import { renewNumbers } from "./phone-query.js";

/** The team's numbers: who answers each, how it is, and the way to be rid of it. */
export function NumberTable({ numbers }: { numbers: readonly PhoneEntity[] }) {
  if (numbers.length === 0) return <p className="soft">There is no number yet. Import one or buy one below.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="card scroll" tabIndex={0} aria-label="Numbers of the team">
      <table>
        <thead>
          <tr>
            <th>Number</th>
            <th>Label</th>
            <th>From</th>
            <th>State</th>
            <th>Answered by</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {numbers.map((number) => (
            <tr key={number.phone_number_id}>
              <td>{number.phone_number}</td>
              <td>{number.label}</td>
              <td>{number.provider === "sip" ? "your own trunk" : "Twilio"}</td>
              <td>{number.status_detail === "" ? number.status : `${number.status}: ${number.status_detail}`}</td>
              <td>
                <BindNumber number={number} />
              </td>
              <td>
                <ReleaseNumber number={number} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function BindNumber({ number }: { number: PhoneEntity }) {
  const queries = useQueryClient();
  const { data } = useQuery(agentNamesQuery);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (agentId: string) =>
      ask("PATCH", `/v1/agent/phone-numbers/${number.phone_number_id}`, { agent_id: agentId === "" ? null : agentId }),
    onSuccess: () => renewNumbers(queries),
  });
  const known = data?.agents ?? [];
  const bound = number.agent_id ?? "";
  return (
    <>
      <select
        aria-label={`Who answers ${number.phone_number}`}
        value={bound}
        disabled={isPending}
        onChange={({ target }) => mutate(target.value)}
      >
        <option value="">nobody: callers hear that it is busy</option>
        {known.map(({ agent_id, name }) => (
          <option key={agent_id} value={agent_id}>
            {name}
          </option>
        ))}
        {bound === "" || known.some(({ agent_id }) => agent_id === bound) ? null : (
          <option value={bound}>another agent</option>
        )}
      </select>
      {error === null ? null : <FailureNote doing="The number was not bound" error={error} />}
    </>
  );
}

function ReleaseNumber({ number: { phone_number_id, phone_number, provider } }: { number: PhoneEntity }) {
  const queries = useQueryClient();
  const loss =
    provider === "twilio"
      ? "The number goes back to Twilio, and somebody else may buy it."
      : "Its trunk is removed from the LiveKit server. Your carrier keeps the number.";
  return (
    <ConfirmedButton
      className="button danger"
      label="Release"
      ariaLabel={`Release ${phone_number}`}
      title={`Release ${phone_number}?`}
      text={`Nobody answers it any more. ${loss}`}
      action="Release"
      run={() => ask("DELETE", `/v1/agent/phone-numbers/${phone_number_id}`)}
      onDone={() => renewNumbers(queries)}
    />
  );
}
