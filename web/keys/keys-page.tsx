import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { CreatedKey, KeyEntity } from "#protocol/keys";
import { ask } from "../api/request.js";
import { ConfirmedButton } from "../parts/confirmed-button.js";
import { CopyBlock } from "../parts/copy-block.js";
import { usePageTitle } from "../parts/page-title.js";
import { momentText } from "../parts/time-text.js";
import { FailureNote } from "../shell/failure-note.js";
import { NewKey } from "./new-key.js";
import { keyState } from "./key-state.js";

const keysKey = ["keys"];

/** The team's API keys: to make, to show once, to revoke. */
export function Keys() {
  usePageTitle("Keys");
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: keysKey, queryFn: () => ask<{ keys: KeyEntity[] }>("GET", "/v1/keys") });
  return (
    <>
      <h1>Keys</h1>
      {error === null ? null : <FailureNote doing="The keys cannot be read" error={error} />}
      {created === null ? null : <ShownOnce created={created} onDone={() => setCreated(null)} />}
      {data === undefined ? (
        error === null && <p className="soft">Asking…</p>
      ) : (
        <>
          <KeyTable keys={data.keys} />
          <NewKey
            onCreated={(key) => {
              setCreated(key);
              void queries.invalidateQueries({ queryKey: keysKey });
            }}
          />
        </>
      )}
    </>
  );
}

function ShownOnce({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  return (
    <section className="note" aria-labelledby="created">
      <h2 id="created">The key “{created.name}”</h2>
      <p role="status">Copy it now: nobody can read it again.</p>
      <CopyBlock label="The new key" text={created.key} />
      <Button className="button quiet" onPress={onDone}>
        I have it
      </Button>
    </section>
  );
}

function KeyTable({ keys }: { keys: readonly KeyEntity[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="card scroll" tabIndex={0} aria-label="Keys of the team">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Begins with</th>
            <th>Covers</th>
            <th>State</th>
            <th>Made</th>
            <th>Last used</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => {
            const state = keyState(key, Date.now());
            return (
              <tr key={key.key_id}>
                <td>{key.name}</td>
                <td>
                  <code>{key.prefix}</code>
                </td>
                <td>{key.scopes.includes("*") ? "everything" : key.scopes.join(", ")}</td>
                <td>{state.text}</td>
                <td>{momentText(key.created_at)}</td>
                <td>{momentText(key.last_used_at)}</td>
                <td>{state.isGood ? <RevokeKey apiKey={key} /> : null}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function RevokeKey({ apiKey }: { apiKey: KeyEntity }) {
  const queries = useQueryClient();
  return (
    <ConfirmedButton
      className="button danger"
      label="Revoke"
      ariaLabel={`Revoke ${apiKey.name}`}
      title={`Revoke “${apiKey.name}”?`}
      text="Programs that use it are refused at once, and whoever is signed in with it is signed out. That cannot be taken back."
      action="Revoke"
      run={() => ask("DELETE", `/v1/keys/${apiKey.key_id}`)}
      onDone={() => queries.invalidateQueries({ queryKey: keysKey })}
    />
  );
}
