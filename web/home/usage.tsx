import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { UsageReport } from "#protocol/usage";
import { ask } from "../api/request.js";
import { LineChart } from "../charts/line-chart.js";
import { FailureNote } from "../shell/failure-note.js";
import { Facts } from "../parts/facts.js";
import { usageFactsOf } from "../parts/usage-facts.js";
import { UsageTable } from "../parts/usage-table.js";
import { everyDay, usagePath } from "./usage-days.js";

const ASK_AGAIN_MS = 5000;

/** What the team used today and on the days before, renewed by itself. */
export function UsageCard() {
  const { data, error } = useQuery({
    queryKey: ["usage", "days"],
    queryFn: () => ask<UsageReport>("GET", usagePath(Date.now())),
    refetchInterval: ASK_AGAIN_MS,
  });
  return (
    <section className="card" aria-labelledby="usage">
      <h2 id="usage">Today</h2>
      {error === null ? null : <FailureNote doing="The team's use cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : <Usage report={data} />}
    </section>
  );
}

function Usage({ report }: { report: UsageReport }) {
  const days = useMemo(() => everyDay(report.data, Date.parse(report.end)), [report]);
  const today = days.at(-1);
  const isEmpty = days.every(({ requests }) => requests === 0);
  return (
    <>
      {today === undefined ? null : <Facts facts={usageFactsOf(today)} />}
      {isEmpty ? (
        <p className="soft">
          Nothing was used in the last {days.length} days. The <a href="/docs">interface</a> has a request to begin
          with; it counts here a moment after its end.
        </p>
      ) : (
        <UsageChart days={days} />
      )}
    </>
  );
}

function UsageChart({ days }: { days: ReturnType<typeof everyDay> }) {
  const times = useMemo(() => days.map(({ day }) => Date.parse(day) / 1000), [days]);
  const series = useMemo(
    () => [
      { name: "Requests", values: days.map(({ requests }) => requests) },
      { name: "Failed", values: days.map(({ failed_requests }) => failed_requests) },
    ],
    [days],
  );
  return (
    <>
      <LineChart label={`Requests of the last ${days.length} days; the table has the numbers`} {...{ times, series }} />
      <details>
        <summary>The numbers, by day (UTC)</summary>
        <UsageTable
          label="Use by day"
          subjectLabel="Day"
          lines={days.toReversed().map((line) => ({ subject: line.day, line }))}
        />
      </details>
    </>
  );
}
