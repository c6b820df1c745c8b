import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { KeyScope } from "#protocol/bus/control";
import type { CreatedKey } from "#protocol/keys";
import { ApiFailure, ask } from "../api/request.js";
import { NumberField } from "../parts/number-field.js";
import { SwitchField } from "../parts/switch-field.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";

const scopes: Readonly<Record<KeyScope, string>> = {
  speech: "Speech: text to audio",
  transcription: "Transcription: audio to text",
  voices: "Voices: list, make, change, delete",
  agents: "Agents: their records, calls, tests and webhooks",
  wallet: "Wallet: credit and use",
  keys: "Keys: list, make, revoke",
};

/** A form that makes a key. */
export function NewKey({ onCreated }: { onCreated: (key: CreatedKey) => void }) {
  const [name, setName] = useState("");
  const [coversAll, setCoversAll] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [days, setDays] = useState<number | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      ask<CreatedKey>("POST", "/v1/keys", { name, expires_in_days: days, ...(coversAll ? {} : { scopes: chosen }) }),
    onSuccess: (key) => {
      setName("");
      onCreated(key);
    },
  });
  const problemOf = (field: string): string | undefined =>
    error instanceof ApiFailure ? error.problems.find(({ path }) => path[0] === field)?.message : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <form className="card below" aria-labelledby="new-key" onSubmit={submit}>
      <h2 id="new-key">New key</h2>
      {error === null ? null : <FailureNote doing="The key was not made" error={error} />}
      <TextField
        label="Name"
        help="What it is for."
        value={name}
        problem={problemOf("name")}
        onChange={setName}
        maxLength={128}
      />
      <SwitchField
        label="Covers what your own key covers"
        help="Otherwise, choose what it covers."
        isOn={coversAll}
        onChange={setCoversAll}
      />
      {coversAll
        ? null
        : Object.entries(scopes).map(([scope, label]) => (
            <SwitchField
              key={scope}
              label={label}
              isOn={chosen.includes(scope)}
              onChange={(isOn) => setChosen(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope))}
            />
          ))}
      {problemOf("scopes") === undefined ? null : <p className="problem">Choose at least one.</p>}
      <NumberField
        label="Good for so many days"
        help="Empty: until it is revoked."
        value={days}
        problem={problemOf("expires_in_days")}
        onChange={setDays}
      />
      <button type="submit" className="button" disabled={isPending}>
        Make a key
      </button>
    </form>
  );
}
