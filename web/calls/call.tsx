import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { Button } from "react-aria-components/Button";
import type { SessionDetail } from "#protocol/agents/session";
import { ask } from "../api/request.js";
import { Facts } from "../parts/facts.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { DeliveryList } from "../deliveries/delivery-list.js";
import { Analysis } from "./analysis.js";
import { clockText, momentText } from "../parts/time-text.js";
import type { Seek } from "./player.js";
import { Recording } from "./recording.js";
import { Timeline } from "./timeline-view.js";
import { timelineOf } from "./timeline.js";
import "./calls.css";

const ASK_AGAIN_MS = 2000;

/** Whether more may come of a call: it goes on, or its analysis is not there yet. */
const isUnsettled = ({ status, analysis }: SessionDetail): boolean =>
  status === "pending" || status === "active" || analysis?.status === "queued" || analysis?.status === "running";

/** One call: what was said and done, how long the caller waited, how it sounded, and what came of it. */
export function Call() {
  const { sessionId } = useParams({ from: "/signed-in/calls/$sessionId" });
  const path = `/v1/agent/sessions/${encodeURIComponent(sessionId)}`;
  const { data: call, error } = useQuery({
    queryKey: ["call", sessionId],
    queryFn: () => ask<SessionDetail>("GET", path),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnsettled(state.data) ? ASK_AGAIN_MS : false),
  });
  usePageTitle(call === undefined ? "Call" : `Call with ${call.agent_name}`);
  return (
    <>
      <p>
        <Link to="/calls">All calls</Link>
      </p>
      <h1>{call === undefined ? "Call" : `Call with ${call.agent_name}`}</h1>
      {error === null ? null : <FailureNote doing="The call cannot be read" error={error} />}
      {call === undefined ? error === null && <p className="soft">Asking…</p> : <CallParts call={call} path={path} />}
    </>
  );
}

function CallParts({ call, path }: { call: SessionDetail; path: string }) {
  const entries = useMemo(() => timelineOf(call), [call]);
  const seek = useRef<Seek | null>(null);
  const isOver = call.status !== "pending" && call.status !== "active";
  return (
    <div className="call">
      <section className="card" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        <Facts facts={factsOf(call)} />
        {isOver ? null : <EndCall path={path} sessionId={call.session_id} />}
        <Metadata metadata={call.metadata} />
      </section>
      {isOver && call.started_at !== null ? <Recording path={path} startedAt={call.started_at} seek={seek} /> : null}
      <section className="card" aria-labelledby="timeline">
        <h2 id="timeline">Timeline</h2>
        {entries.length === 0 ? (
          <p className="soft">{isOver ? "Nothing was said." : "Nothing was said yet."}</p>
        ) : (
          <Timeline entries={entries} onSeek={(seconds) => seek.current?.(seconds)} />
        )}
      </section>
      {isOver ? <Analysis call={call} path={path} /> : null}
      {isOver ? (
        <section aria-labelledby="webhooks">
          <h2 id="webhooks">Webhooks</h2>
          <DeliveryList sessionId={call.session_id} whenEmpty="Nothing was sent for this call." />
        </section>
      ) : null}
    </div>
  );
}

function factsOf(call: SessionDetail): [string, string][] {
  const numbers: [string, string | null][] = [
    ["Caller", call.caller_number],
    ["Dialed", call.dialed_number],
    ["Dial status", call.dial_status],
    ["Answered by", call.answered_by],
  ];
  return [
    ["Status", call.status],
    ["Begun", momentText(call.started_at)],
    ["Length", call.duration_seconds === null ? "–" : clockText(call.duration_seconds)],
    ["Ended because", call.ended_reason === null ? "–" : call.ended_reason.replaceAll("_", " ")],
    ["Answered by the model", call.responder ?? "–"],
    ...call.transfers.map(({ destination, outcome }, index): [string, string] => [
      `Transfer ${index + 1}`,
      `${destination}: ${outcome.replaceAll("_", " ")}`,
    ]),
    ["Session id", call.session_id],
    ...numbers.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
  ];
}

function Metadata({ metadata }: { metadata: Record<string, unknown> }) {
  if (Object.keys(metadata).length === 0) return null;
  return (
    <details>
      <summary>Metadata</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Metadata">
        <pre>{JSON.stringify(metadata, null, 2)}</pre>
      </section>
    </details>
  );
}

function EndCall({ path, sessionId }: { path: string; sessionId: string }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask("POST", `${path}/end`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["call", sessionId] }),
  });
  return (
    <>
      {error === null ? null : <FailureNote doing="The call was not ended" error={error} />}
      <Button className="button danger" isDisabled={isPending} onPress={() => mutate()}>
        End the call
      </Button>
    </>
  );
}
