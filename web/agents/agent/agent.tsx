import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { AgentEntity } from "#protocol/agents/agent";
import { usePageTitle } from "../../parts/page-title.js";
import { FailureNote } from "../../shell/failure-note.js";
import { agentQuery } from "../agent-queries.js";
import "../agents.css";

/** One agent, with a tab for each thing that can be done with it. */
export function Agent() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const { data, error } = useQuery(agentQuery(agentId));
  usePageTitle(data?.name ?? "Agent");
  return (
    <>
      <p className="trail">
        <Link to="/agents">Agents</Link>
      </p>
      <h1>{data?.name ?? "Agent"}</h1>
      {error === null ? null : <FailureNote doing="The agent cannot be read" error={error} />}
      {data === undefined ? null : <Tabs agent={data} />}
    </>
  );
}

const tabs = [
  { to: "/agents/$agentId", label: "Configuration" },
  { to: "/agents/$agentId/talk", label: "Talk" },
  { to: "/agents/$agentId/versions", label: "Versions" },
  { to: "/agents/$agentId/tools", label: "Tools" },
  { to: "/agents/$agentId/knowledge", label: "Knowledge" },
  { to: "/agents/$agentId/webhooks", label: "Webhooks" },
  { to: "/agents/$agentId/sharing", label: "Sharing" },
  { to: "/agents/$agentId/widget", label: "Widget" },
  { to: "/agents/$agentId/settings", label: "Settings" },
] as const;

function Tabs({ agent }: { agent: AgentEntity }) {
  return (
    <>
      <nav className="tabs" aria-label="Of this agent">
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ agentId: agent.agent_id }}
            activeOptions={{ exact: to === "/agents/$agentId", includeHash: false }}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
