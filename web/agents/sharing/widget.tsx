import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AgentEntity } from "#protocol/agents/agent";
import { CopyBlock } from "../../parts/copy-block.js";
import { SelectField } from "../../parts/select-field.js";
import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";
import { agentQuery } from "../agent-queries.js";
import { choicesOf } from "../editor/config-field.js";
import { type EmbedChoices, embedCode, positions } from "./embed-code.js";

const places = choicesOf(positions, {
  "bottom-right": "Below, on the right",
  "bottom-left": "Below, on the left",
  "top-right": "Above, on the right",
  "top-left": "Above, on the left",
  inline: "In the page, where its element stands",
}) as { value: EmbedChoices["position"]; label: string }[];

/** The tab with the lines that put the agent on a page. */
export function Widget() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const { data } = useQuery(agentQuery(agentId));
  const [choices, setChoices] = useState<EmbedChoices>({
    position: "bottom-right",
    isOpen: false,
    colour: "",
    avatar: "",
    startLabel: "",
  });
  const change = (part: Partial<EmbedChoices>): void => setChoices({ ...choices, ...part });
  if (data === undefined) return null;
  return (
    <div className="narrow">
      <Readiness agent={data} />
      <section className="card group" aria-labelledby="embed">
        <h2 id="embed">On your page</h2>
        <p>Put these lines into the page, before the end of its body:</p>
        <CopyBlock label="Lines for your page" text={embedCode(location.origin, agentId, choices)} />
      </section>
      <section className="card" aria-labelledby="look">
        <h2 id="look">How it looks</h2>
        <SelectField
          label="Place"
          value={choices.position}
          choices={places}
          onChange={(position) => change({ position })}
        />
        <SwitchField
          label="Open from the beginning"
          help="Otherwise it is a button until somebody presses it."
          isOn={choices.isOpen}
          onChange={(isOpen) => change({ isOpen })}
        />
        <TextField
          label="Colour"
          help="Any CSS colour, such as #17624f. Empty: the widget's own."
          value={choices.colour}
          onChange={(colour) => change({ colour })}
        />
        <TextField
          label="Picture"
          help="Address of a picture of the agent. Empty: none."
          type="url"
          value={choices.avatar}
          onChange={(avatar) => change({ avatar })}
        />
        <TextField
          label="Button that begins a call"
          help="What it says. Empty: the widget's own word, in the reader's language."
          value={choices.startLabel}
          onChange={(startLabel) => change({ startLabel })}
        />
      </section>
    </div>
  );
}

/** What is still missing before pages may call the agent. */
function Readiness({ agent }: { agent: AgentEntity }) {
  const { agent_id: agentId, allowed_origins: origins } = agent;
  const isPublic = agent.public_enabled && origins.length > 0;
  if (agent.status === "archived") return <p className="note warn">The agent is archived: nobody can call it.</p>;
  if (agent.publication_state === "live" && isPublic)
    return <p className="note">Pages of these origins may call it: {origins.join(", ")}.</p>;
  return (
    <div className="note warn">
      {agent.publication_state === "live" ? null : (
        <p>
          The agent was never published.{" "}
          <Link to="/agents/$agentId/versions" params={{ agentId }}>
            Publish it.
          </Link>
        </p>
      )}
      {isPublic ? null : (
        <p>
          No page may call it yet.{" "}
          <Link to="/agents/$agentId/sharing" params={{ agentId }}>
            Make it public and allow the page's origin.
          </Link>
        </p>
      )}
    </div>
  );
}
