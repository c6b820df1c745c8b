import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { systemVariables, type ToolEntity, type ToolTestResult } from "#protocol/tools";
import { ask } from "../../api/request.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { problemsWithin, refusedFields } from "../problems.js";
import { toolPath } from "./tool-queries.js";
import { ToolTestAnswer } from "./tool-test-answer.js";
import { testArguments, testNames, toolValues } from "./tool-values.js";

/** Sends a real request to a tool's address, as it is saved, and shows what came back. */
export function ToolTest({ tool }: { tool: ToolEntity }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => ask<ToolTestResult>("POST", toolPath(tool.tool_id, "/test"), { arguments: testArguments(typed) }),
  });
  const names = testNames(toolValues(tool), systemVariables);
  const problem = problemsWithin(refusedFields(error), []);
  return (
    <section className="card group" aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <p className="soft">
        Sends a real request of the tool as it is saved. The address goes out as it stands there, without arguments.
        {names.length === 0 ? "" : " A number, true, false or JSON counts as such; anything else is text."}
      </p>
      {names.map((name) => (
        <TextField
          key={name}
          label={name}
          value={typed[name] ?? ""}
          onChange={(text) => setTyped({ ...typed, [name]: text })}
        />
      ))}
      {problem === undefined ? null : (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {error === null || problem !== undefined ? null : <FailureNote doing="Nothing was sent" error={error} />}
      <Button className="button" isDisabled={isPending} onPress={() => mutate()}>
        {isPending ? "Waiting for the answer…" : "Send a test request"}
      </Button>
      {data === undefined || isPending ? null : <ToolTestAnswer answer={data} />}
    </section>
  );
}
