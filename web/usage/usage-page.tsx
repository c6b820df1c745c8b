import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { KeyEntity } from "#protocol/keys";
import type { UsageReport } from "#protocol/usage";
import type { ApiCredit } from "#protocol/wallet";
import { agentNamesQuery } from "../agents/agent-names.js";
import { ask } from "../api/request.js";
import { DayField } from "../parts/day-field.js";
import { Facts } from "../parts/facts.js";
import { usePageTitle } from "../parts/page-title.js";
import { SelectField } from "../parts/select-field.js";
import { UsageTable } from "../parts/usage-table.js";
import { FailureNote } from "../shell/failure-note.js";
import { type Grouping, groupings, subjectOf, usageReportPath } from "./usage-filters.js";

/** What the team has left and what it used, by day, model, key or agent. */
export function Usage() {
  usePageTitle("Usage");
  const filters = useSearch({ from: "/signed-in/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const { by = "day" } = filters;
  const { data, error } = useQuery({
    queryKey: ["usage", "report", filters],
    queryFn: () => ask<UsageReport>("GET", usageReportPath(filters)),
  });
  const setDay = (name: "from" | "to", value: string): void => {
    const { [name]: _former, ...others } = filters;
    void navigate({ search: value === "" ? others : { ...others, [name]: value }, replace: true });
  };
  return (
    <>
      <h1>Usage and credit</h1>
      <Credit />
      <search className="filter-bar below">
        <SelectField
          label="By"
          value={by}
          choices={Object.entries(groupings).map(([value, label]) => ({ value: value as Grouping, label }))}
          onChange={(value) => void navigate({ search: { ...filters, by: value }, replace: true })}
        />
        <DayField label="From (UTC)" value={filters.from ?? ""} onChange={(value) => setDay("from", value)} />
        <DayField label="To (UTC)" value={filters.to ?? ""} onChange={(value) => setDay("to", value)} />
      </search>
      {error === null ? null : <FailureNote doing="The use cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : <Report report={data} by={by} />}
    </>
  );
}

function Credit() {
  const { data, error } = useQuery({
    queryKey: ["credit"],
    queryFn: () => ask<ApiCredit>("GET", "/wallet/self/api-credit"),
  });
  return (
    <section className="card" aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      {error === null ? null : <FailureNote doing="The credit cannot be read" error={error} />}
      {data === undefined ? null : (
        <Facts
          facts={[
            ["Left", data.credit],
            ["Given so far", data.cumulative_top_up],
          ]}
        />
      )}
      <p className="help">
        <code>bin/parley credit</code> gives more.
      </p>
    </section>
  );
}

function Report({ report, by }: { report: UsageReport; by: Grouping }) {
  const nameOf = useNames(by);
  if (report.data.length === 0)
    return (
      <p className="soft">
        Nothing was used from {report.start} to {report.end}.
      </p>
    );
  return (
    <div className="card">
      <UsageTable
        label="Use"
        caption={`From ${report.start} to ${report.end}${report.truncated ? "; there is more than is shown" : ""}`}
        subjectLabel={groupings[by]}
        lines={report.data.map((line) => ({ subject: nameOf(subjectOf(line, by)), line }))}
      />
    </div>
  );
}

/** Names of keys and agents, where the reader's key may know them; else what the report says. */
function useNames(by: Grouping): (subject: string) => string {
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: () => ask<{ keys: KeyEntity[] }>("GET", "/v1/keys"),
    enabled: by === "key",
    retry: false,
  });
  const agents = useQuery({ ...agentNamesQuery, enabled: by === "agent", retry: false });
  const names = new Map([
    ...(keys.data?.keys.map(({ key_id, name }) => [key_id, name] as const) ?? []),
    ...(agents.data?.agents.map(({ agent_id, name }) => [agent_id, name] as const) ?? []),
  ]);
  return (subject) => names.get(subject) ?? subject;
}
