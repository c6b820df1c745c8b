import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ToolList, ToolSummary } from "#protocol/tools";
import { usePages } from "../../api/pages.js";
import { useDebouncedSearch } from "../../parts/debounced-search.js";
import { MoreButton } from "../../parts/more-button.js";
import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { draftQuery } from "../agent-queries.js";
import { useAttachment } from "../agent/use-attachment.js";
import { toolsKey } from "./tool-queries.js";

/** The tab with the team's tools: which of them this agent has, and their pages. */
export function Tools() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const [search, setSearch] = useState("");
  const asked = useDebouncedSearch(search);
  const draft = useQuery(draftQuery(agentId));
  const pages = usePages<ToolList>([...toolsKey, asked], `/v1/agent/tools?${new URLSearchParams({ search: asked })}`, {
    isShownMeanwhile: true,
  });
  const attached = draft.data?.tools.tool_ids ?? [];
  const attachment = useAttachment(agentId, (ids) => ({ tools: { tool_ids: ids } }));
  const error = draft.error ?? pages.error;
  const tools = pages.data?.pages.flatMap((page) => page.tools);
  return (
    <>
      <div className="heading-line">
        <h2>Tools</h2>
        <Link className="button" to="/agents/$agentId/tools/$toolId" params={{ agentId, toolId: "new" }}>
          Create a tool
        </Link>
      </div>
      <p className="soft">
        All agents of your team share them. What is attached changes the draft; calls have it once you publish.
      </p>
      <div className="filters">
        <TextField label="Search" help="In names." value={search} onChange={setSearch} />
      </div>
      {error === null ? null : <FailureNote doing="The tools cannot be read" error={error} />}
      {attachment.error === null ? null : <FailureNote doing="Nothing was changed" error={attachment.error} />}
      {tools === undefined || draft.data === undefined ? null : tools.length === 0 ? (
        <p className="note">
          {asked === ""
            ? "There is no tool yet. Create one: the agent calls it in the middle of a conversation, to look something up or to do something."
            : "No tool's name has this in it."}
        </p>
      ) : (
        <ul className="records">
          {tools.map((tool) => (
            <li key={tool.tool_id} className="card">
              <Tool agentId={agentId} tool={tool} />
              <SwitchField
                label={`Attach ${tool.name}`}
                isOn={attached.includes(tool.tool_id)}
                isDisabled={attachment.isPending}
                onChange={(isOn) => attachment.change(attached, tool.tool_id, isOn)}
              />
            </li>
          ))}
        </ul>
      )}
      <MoreButton pages={pages} />
    </>
  );
}

const kinds = {
  webhook: "calls an address",
  client: "runs in the caller's program",
  integration: "a connected service",
};

function Tool({ agentId, tool }: { agentId: string; tool: ToolSummary }) {
  return (
    <>
      <h3>
        <Link to="/agents/$agentId/tools/$toolId" params={{ agentId, toolId: tool.tool_id }}>
          {tool.name}
        </Link>
      </h3>
      {tool.description === "" ? null : <p className="clamped">{tool.description}</p>}
      <p className="soft">
        {tool.tool_type === "webhook" ? `${tool.method} ${tool.url}` : kinds[tool.tool_type]}. Used by{" "}
        {tool.used_by === 0 ? "no agent" : tool.used_by === 1 ? "one agent" : `${tool.used_by} agents`}.
      </p>
    </>
  );
}
