import { Link } from "@tanstack/react-router";
import { ApiFailure } from "../api/request.js";
import { StreamFailure } from "../api/stream-failure.js";

/** Says what went wrong, and the id under which the server's logs and traces have it. */
export function FailureNote({ doing, error }: { doing: string; error: unknown }) {
  const failure = error instanceof ApiFailure ? error : null;
  const known = failure ?? (error instanceof StreamFailure ? error : null);
  return (
    <div className="note bad" role="alert">
      <p>
        {doing}: {known?.message ?? "something in this page failed. Reload it."}
      </p>
      {failure === null ? null : (
        <p>
          Request id{" "}
          {hasTrace(failure) ? (
            <Link to="/traces/$traceId" params={{ traceId: failure.requestId }}>
              <code>{failure.requestId}</code>
            </Link>
          ) : (
            <code>{failure.requestId}</code>
          )}
        </p>
      )}
    </div>
  );
}

/** Whether the team may have a trace of it: what reached nobody has none, and without a key a request is nobody's. */
const hasTrace = ({ status }: ApiFailure): boolean => status !== 0 && status !== 401;
