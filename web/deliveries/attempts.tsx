import type { WebhookDelivery } from "#protocol/webhooks";
import { momentText } from "../parts/time-text.js";

/** Every attempt of a delivery. */
export function Attempts({ attempts }: { attempts: WebhookDelivery["attempts"] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="scroll group" tabIndex={0} aria-label="Attempts">
      <table>
        <thead>
          <tr>
            <th className="number">Attempt</th>
            <th>Began</th>
            <th className="number">Took</th>
            <th>Answer</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ number, started_at, duration_ms, status_code, error }) => (
            <tr key={number}>
              <td className="number">{number}</td>
              <td>{momentText(started_at)}</td>
              <td className="number">{duration_ms} ms</td>
              <td>
                {[status_code === null ? "none" : `status ${status_code}`, ...(error === null ? [] : [error])].join(
                  ", ",
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
