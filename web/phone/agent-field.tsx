import { useQuery } from "@tanstack/react-query";
import { agentNamesQuery } from "../agents/agent-names.js";
import { SelectField } from "../parts/select-field.js";

interface AgentFieldProps {
  label: string;
  /** What stands where none is chosen. */
  none: string;
  /** Empty is none. */
  value: string;
  onChange: (agentId: string) => void;
}

/** One of the team's agents. */
export function AgentField({ label, none, value, onChange }: AgentFieldProps) {
  const { data } = useQuery(agentNamesQuery);
  const agents = data?.agents.map(({ agent_id, name }) => ({ value: agent_id, label: name })) ?? [];
  return (
    <SelectField label={label} value={value} choices={[{ value: "", label: none }, ...agents]} onChange={onChange} />
  );
}
