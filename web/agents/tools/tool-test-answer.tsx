import type { ToolTestResult } from "#protocol/tools";

/** What a test request met. */
export function ToolTestAnswer({ answer }: { answer: ToolTestResult }) {
  const headers = Object.entries(answer.response_headers);
  if (answer.error !== null)
    return (
      <div className="note bad after" role="status">
        <p>
          No answer after {answer.latency_ms} ms: {answer.error}
        </p>
      </div>
    );
  return (
    <div className="after">
      <p role="status">
        <strong>Status {answer.status_code}</strong> after {answer.latency_ms} ms.
        {answer.response_truncated ? " Only its first 64 KB are shown." : ""}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="scroll answer" tabIndex={0} aria-label="Body of the answer">
        <pre>
          <code>{answer.response_body === "" ? "(no body)" : answer.response_body}</code>
        </pre>
      </section>
      <details>
        <summary>Headers of the answer</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
        <section className="scroll" tabIndex={0} aria-label="Headers of the answer">
          <table>
            <tbody>
              {headers.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </div>
  );
}
