import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { FailureNote } from "../../shell/failure-note.js";
import { ToolForm } from "./tool-form.js";
import { ToolRemoval } from "./tool-removal.js";
import { toolQuery } from "./tool-queries.js";
import { ToolTest } from "./tool-test.js";

/** A tool's page below an agent: made, changed, tried and deleted. */
export function ToolPage() {
  const { agentId, toolId } = useParams({ from: "/signed-in/agents/$agentId/tools/$toolId" });
  const isNew = toolId === "new";
  const { data, error } = useQuery({ ...toolQuery(toolId), enabled: !isNew });
  return (
    <div className="narrow">
      <p className="trail">
        <Link to="/agents/$agentId/tools" params={{ agentId }}>
          Tools
        </Link>
      </p>
      <h2>{isNew ? "A new tool" : data?.name}</h2>
      {error === null ? null : <FailureNote doing="The tool cannot be read" error={error} />}
      {isNew ? <ToolForm key="new" agentId={agentId} tool={null} /> : null}
      {data === undefined || isNew ? null : (
        <>
          <ToolForm key={toolId} agentId={agentId} tool={data} />
          {data.tool_type === "webhook" ? <ToolTest key={`${toolId} test`} tool={data} /> : null}
          <ToolRemoval agentId={agentId} tool={data} />
        </>
      )}
    </div>
  );
}
