import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { PageEnvelope } from "#protocol/paging";
import type { SessionSummary } from "#protocol/agents/session";
import { usePages } from "../api/pages.js";
import { MoreButton } from "../parts/more-button.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { CallFilterBar } from "./call-filter-bar.js";
import { callsPath } from "./call-filters.js";
import { clockText, momentText } from "../parts/time-text.js";
import "./calls.css";

type CallPage = PageEnvelope & { sessions: SessionSummary[] };

const ASK_AGAIN_MS = 5000;

/** The calls of the team's agents, the latest first. */
export function Calls() {
  usePageTitle("Calls");
  const filters = useSearch({ from: "/signed-in/calls" });
  const navigate = useNavigate({ from: "/calls" });
  const pages = usePages<CallPage>(["calls", filters], callsPath(filters), { renewMs: ASK_AGAIN_MS });
  const { data, error } = pages;
  const calls = data?.pages.flatMap(({ sessions }) => sessions) ?? [];
  return (
    <>
      <h1>Calls</h1>
      <CallFilterBar filters={filters} onChange={(changed) => void navigate({ search: changed, replace: true })} />
      {error === null ? null : <FailureNote doing="The calls cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : null}
      {data !== undefined && calls.length === 0 ? <NoCalls isFiltered={Object.keys(filters).length > 0} /> : null}
      {calls.length === 0 ? null : <CallTable calls={calls} />}
      <MoreButton pages={pages} />
    </>
  );
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <p className="soft">No call passes these filters.</p>
  ) : (
    <p className="soft">
      Nobody has talked to an agent yet. <code>bin/parley talk "Parley guide"</code> does; the call is listed here as
      soon as it has begun.
    </p>
  );
}

function CallTable({ calls }: { calls: readonly SessionSummary[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="card scroll" tabIndex={0} aria-label="Calls">
      <table>
        <thead>
          <tr>
            <th>Begun</th>
            <th>Agent</th>
            <th>Status</th>
            <th className="number">Length</th>
            <th>From</th>
            <th>Name</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <tr key={call.session_id}>
              <td>
                <Link to="/calls/$sessionId" params={{ sessionId: call.session_id }}>
                  {momentText(call.started_at ?? call.created_at)}
                </Link>
              </td>
              <td>{call.agent_name}</td>
              <td>
                <span className={`status status-${call.status}`}>{call.status}</span>
              </td>
              <td className="number">{call.duration_seconds === null ? "–" : clockText(call.duration_seconds)}</td>
              <td>{originText(call)}</td>
              <td>{call.name ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const origins: Readonly<Record<SessionSummary["source"], string>> = {
  api_key: "a program",
  dashboard: "a preview",
  public: "a website",
  phone: "a phone",
};

function originText({ source, caller_number, dialed_number, direction }: SessionSummary): string {
  const number = direction === "outbound" ? dialed_number : caller_number;
  return number === null ? origins[source] : `${direction === "outbound" ? "to " : ""}${number}`;
}
