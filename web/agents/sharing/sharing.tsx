import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type AgentEntity, type AgentUpdate, overrideNames } from "#protocol/agents/agent";
import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentQuery } from "../agent-queries.js";
import { useAgentUpdate } from "../agent/use-agent-update.js";
import { changesOf, countFields } from "../editor/draft-values.js";
import { LeaveDialog } from "../editor/leave-dialog.js";
import { SaveBar } from "../editor/save-bar.js";
import { problemsWithin } from "../problems.js";

/** The tab that says who may begin a session without a key, and what sessions may have otherwise. */
export function Sharing() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const { data } = useQuery(agentQuery(agentId));
  return data === undefined ? null : <SharingForm key={agentId} agent={data} />;
}

const overrideLabels: Readonly<Record<(typeof overrideNames)[number], string>> = {
  first_message: "First message",
  system_prompt: "Instructions",
  voice_id: "Voice",
  language: "Language",
};

function SharingForm({ agent }: { agent: AgentEntity }) {
  const stored = {
    public_enabled: agent.public_enabled,
    allowed_origins: agent.allowed_origins,
    overrides_allowed: agent.overrides_allowed,
  };
  const [edited, setEdited] = useState<Required<Pick<AgentUpdate, keyof typeof stored>> | null>(null);
  const { save, clear, isPending, error, problems } = useAgentUpdate(agent.agent_id, () => setEdited(null));
  const values = edited ?? stored;
  const change = (part: Partial<typeof values>): void => {
    setEdited({ ...values, ...part });
    clear();
  };
  const update = (changesOf(stored, values) ?? {}) as AgentUpdate;
  const { overrides_allowed: allowed } = values;
  const allow = (name: (typeof overrideNames)[number], isOn: boolean): void =>
    change({ overrides_allowed: overrideNames.filter((other) => (other === name ? isOn : allowed.includes(other))) });
  return (
    <div className="narrow">
      <section className="card group" aria-labelledby="public">
        <h2 id="public">Callers without a key</h2>
        <SwitchField
          label="Public"
          help="Pages of the origins below may begin sessions with this agent once it is published. Your team pays for them."
          isOn={values.public_enabled}
          onChange={(public_enabled) => change({ public_enabled })}
        />
        <TextField
          label="Allowed origins"
          help="One in each line, such as https://www.example.com; at most 20. Scheme, host and port must be the page's."
          lines={4}
          value={values.allowed_origins.join("\n")}
          onChange={(text) => change({ allowed_origins: text === "" ? [] : text.split("\n") })}
          problem={problemsWithin(problems, ["allowed_origins"])}
        />
      </section>
      <section className="card group" aria-labelledby="overrides">
        <h2 id="overrides">What a session may have otherwise</h2>
        <p className="soft">Callers without a key may change voice and language only.</p>
        {overrideNames.map((name) => (
          <SwitchField
            key={name}
            label={overrideLabels[name]}
            isOn={allowed.includes(name)}
            onChange={(isOn) => allow(name, isOn)}
          />
        ))}
      </section>
      {error === null || problems.length > 0 ? null : <FailureNote doing="It was not saved" error={error} />}
      <SaveBar
        noun="sharing"
        editor={{
          problems,
          unsavedFields: countFields(update),
          isSaving: isPending,
          save: () => {
            if (edited !== null) save(update);
          },
          discard: () => {
            setEdited(null);
            clear();
          },
        }}
      />
      <LeaveDialog isBlocking={countFields(update) > 0} />
    </div>
  );
}
