import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { TraceReport } from "#protocol/traces";
import { ApiFailure, ask } from "../api/request.js";
import { usePageTitle } from "../parts/page-title.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { traceIdIn } from "./waterfall.js";
import { WaterfallTable } from "./waterfall-table.js";

/** The section without a request. */
export function Traces() {
  usePageTitle("Traces");
  return (
    <>
      <h1>Traces</h1>
      <RequestForm />
      <p className="soft">
        Paste the id that a page shows beside a failure, or the <code>traceparent</code> that your program sent, to see
        who worked on the request, when and for how long.
      </p>
    </>
  );
}

/** One request as a waterfall. */
export function Trace() {
  usePageTitle("Trace");
  const { traceId } = useParams({ from: "/signed-in/traces/$traceId" });
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["trace", traceId],
    queryFn: () => ask<TraceReport>("GET", `/v1/traces/${encodeURIComponent(traceId)}`),
    retry: false,
  });
  const isMissing = error instanceof ApiFailure && error.status === 404 && error.message === "Not found";
  return (
    <>
      <h1>Trace</h1>
      <RequestForm key={traceId} traceId={traceId} />
      {isMissing ? (
        <p className="note" role="status">
          The team has no trace of this request. It appears a few seconds after the request, and stays for two weeks.
        </p>
      ) : null}
      {error === null || isMissing ? null : <FailureNote doing="The trace cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : <WaterfallTable trace={data} />}
      <p className="after">
        <Button className="button quiet" isDisabled={isFetching} onPress={() => void refetch()}>
          Look again
        </Button>
      </p>
    </>
  );
}

function RequestForm({ traceId = "" }: { traceId?: string }) {
  const [text, setText] = useState(traceId);
  const [problem, setProblem] = useState<string>();
  const navigate = useNavigate();
  const show = (event: FormEvent): void => {
    event.preventDefault();
    const found = traceIdIn(text);
    setProblem(found === null ? "A request id has 32 characters: digits, and letters from a to f." : undefined);
    if (found !== null) void navigate({ to: "/traces/$traceId", params: { traceId: found } });
  };
  return (
    <form onSubmit={show} noValidate>
      <TextField label="Request id" value={text} onChange={setText} problem={problem} autoComplete="off" />
      <p>
        <Button className="button" type="submit">
          Show the trace
        </Button>
      </p>
    </form>
  );
}
