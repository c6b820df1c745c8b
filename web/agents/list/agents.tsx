import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AgentEntity } from "#protocol/agents/agent";
import type { PageEnvelope } from "#protocol/paging";
import { usePages } from "../../api/pages.js";
import { useDebouncedSearch } from "../../parts/debounced-search.js";
import { MoreButton } from "../../parts/more-button.js";
import { usePageTitle } from "../../parts/page-title.js";
import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentsKey } from "../agent-queries.js";
import { momentText } from "../../parts/time-text.js";
import { CreateAgent } from "./create-agent.js";
import "../agents.css";

type AgentPage = PageEnvelope & { agents: AgentEntity[] };

/** The team's agents: find one, make one. */
export function Agents() {
  usePageTitle("Agents");
  const [search, setSearch] = useState("");
  const [isWithArchived, setIsWithArchived] = useState(false);
  const asked = useDebouncedSearch(search);
  const query = new URLSearchParams({ search: asked, include_archived: String(isWithArchived) });
  const pages = usePages<AgentPage>([...agentsKey, "list", String(query)], `/v1/agent/agents?${query}`, {
    isShownMeanwhile: true,
  });
  const agents = pages.data?.pages.flatMap((page) => page.agents);
  return (
    <>
      <div className="heading-line">
        <h1>Agents</h1>
        <CreateAgent />
      </div>
      <div className="filters">
        <TextField label="Search" help="In names and descriptions." value={search} onChange={setSearch} />
        <SwitchField label="Show archived ones too" isOn={isWithArchived} onChange={setIsWithArchived} />
      </div>
      {pages.error === null ? null : <FailureNote doing="Agents cannot be read" error={pages.error} />}
      {agents === undefined ? null : agents.length === 0 ? (
        <Nothing isSearched={asked !== ""} />
      ) : (
        <List agents={agents} />
      )}
      <MoreButton pages={pages} />
    </>
  );
}

function Nothing({ isSearched }: { isSearched: boolean }) {
  if (isSearched) return <p className="note">No agent's name or description has this in it.</p>;
  return (
    <p className="note">
      There is no agent yet. Create one: it begins as a draft that you configure, publish, and then talk to, on the
      phone or from a page of yours.
    </p>
  );
}

function List({ agents }: { agents: readonly AgentEntity[] }) {
  return (
    <ul className="records">
      {agents.map((agent) => (
        <li key={agent.agent_id} className="card">
          <h2>
            <Link to="/agents/$agentId" params={{ agentId: agent.agent_id }}>
              {agent.name}
            </Link>
          </h2>
          {agent.description === "" ? null : <p className="clamped">{agent.description}</p>}
          <p className="soft">
            {agent.publication_state === "live" ? "Published" : "Never published"}
            {agent.public_enabled ? ", public" : ""}
            {agent.status === "archived" ? ", archived" : ""}. Changed {momentText(agent.updated_at)}.
          </p>
        </li>
      ))}
    </ul>
  );
}
