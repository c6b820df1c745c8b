import { useQuery } from "@tanstack/react-query";
import { ask } from "../api/request.js";
import { FailureNote } from "../shell/failure-note.js";
import { Facts } from "../parts/facts.js";
import { type Health, sayHealth } from "./health-facts.js";

const ASK_AGAIN_MS = 5000;

/** How the cluster does, renewed by itself. */
export function HealthCard() {
  const { data, error } = useQuery({
    queryKey: ["health"],
    queryFn: () => ask<Health>("GET", "/health"),
    refetchInterval: ASK_AGAIN_MS,
  });
  return (
    <section className="card" aria-labelledby="health">
      <h2 id="health">Health</h2>
      {error === null ? null : <FailureNote doing="The health of the cluster cannot be read" error={error} />}
      {data === undefined ? <p className="soft">Asking…</p> : <HealthFacts health={data} />}
    </section>
  );
}

function HealthFacts({ health }: { health: Health }) {
  const { isWell, headline, facts } = sayHealth(health);
  return (
    <>
      <p className={`note ${isWell ? "" : "warn"}`}>{headline}</p>
      {health.problems === undefined || health.problems.length === 0 ? null : (
        <ul>
          {health.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <Facts facts={facts} />
      {health.models === undefined || health.models.length === 0 ? null : <Models models={health.models} />}
    </>
  );
}

function Models({ models }: { models: NonNullable<Health["models"]> }) {
  return (
    <details>
      <summary>Models</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Models">
        <table>
          <thead>
            <tr>
              <th>Model</th>
              <th>Task</th>
              <th>Languages</th>
              <th>Runs on</th>
              <th className="number">Workers</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ name, task, languages, providers, workers }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{task}</td>
                <td>{languages.length > 4 ? `${languages.length} languages` : languages.join(", ") || "any"}</td>
                <td>{providers.join(", ")}</td>
                <td className="number">{workers}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
