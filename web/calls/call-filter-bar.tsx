import { useQuery } from "@tanstack/react-query";
import type { SessionStatus } from "#protocol/agents/session";
import { agentNamesQuery } from "../agents/agent-names.js";
import { DayField } from "../parts/day-field.js";
import { SelectField } from "../parts/select-field.js";
import type { CallFilters } from "./call-filters.js";

interface CallFilterBarProps {
  filters: CallFilters;
  onChange: (filters: CallFilters) => void;
}

const statuses: Readonly<Record<SessionStatus, string>> = {
  pending: "Not joined yet",
  active: "Going on",
  completed: "Completed",
  failed: "Failed",
  unknown: "Unknown",
};

/** Chooses which calls are listed. */
export function CallFilterBar({ filters, onChange }: CallFilterBarProps) {
  const agents = useQuery(agentNamesQuery);
  const set = (name: keyof CallFilters, value: string): void => {
    const { [name]: _former, ...others } = filters;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  const known = agents.data?.agents.map(({ agent_id, name }) => ({ value: agent_id, label: name })) ?? [];
  // One that was deleted, or is not among the first hundred, can still be what the address asks for.
  const chosen = filters.agent_id ?? "";
  const isKnown = chosen === "" || known.some(({ value }) => value === chosen);
  return (
    <search className="filter-bar">
      <SelectField
        label="Agent"
        value={chosen}
        choices={[{ value: "", label: "All" }, ...known, ...(isKnown ? [] : [{ value: chosen, label: chosen }])]}
        onChange={(value) => set("agent_id", value)}
      />
      <SelectField
        label="Status"
        value={filters.status ?? ""}
        choices={[
          { value: "", label: "All that were joined" },
          ...Object.entries(statuses).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(value) => set("status", value)}
      />
      <SelectField
        label="Direction"
        value={filters.direction ?? ""}
        choices={[
          { value: "", label: "Both" },
          { value: "inbound", label: "Inbound" },
          { value: "outbound", label: "Outbound" },
        ]}
        onChange={(value) => set("direction", value)}
      />
      <DayField label="From" value={filters.from ?? ""} onChange={(value) => set("from", value)} />
      <DayField label="To" value={filters.to ?? ""} onChange={(value) => set("to", value)} />
    </search>
  );
}
