import type { TestRunDetail } from "#protocol/agents/test-runs";

/** A line of what was said and done in a run. */
export interface TranscriptLine {
  key: string;
  speaker: string;
  text: string;
  /** False for what the test itself says. */
  isNew: boolean;
}

/** What was said in a run: what the test gives, what followed, and the tools that were called, in their order. */
export function transcriptOf(run: TestRunDetail): TranscriptLine[] {
  const given = run.conversation.map(({ role, text }, at) => ({
    ...{ key: `given ${at}`, speaker: speakers[role], text, isNew: false },
  }));
  const { simulation_result: result, agent_reply } = run;
  if (result === null)
    return agent_reply === ""
      ? given
      : [...given, { key: "reply", speaker: speakers.agent, text: agent_reply, isNew: true }];
  const said = result.transcript.map(({ role, text, seq }, at) => ({
    seq: seq ?? at,
    line: { key: `said ${at}`, speaker: speakers[role], text, isNew: true },
  }));
  const called = result.tool_calls.map((call, at) => ({
    seq: call.seq ?? Number.POSITIVE_INFINITY,
    line: { key: `call ${at}`, speaker: "Tool", text: callText(call), isNew: true },
  }));
  return [...given, ...[...said, ...called].sort((a, b) => a.seq - b.seq).map(({ line }) => line)];
}

const speakers = { user: "Caller", agent: "Agent" } as const;

type ToolCall = NonNullable<TestRunDetail["simulation_result"]>["tool_calls"][number];

function callText({ tool_name, input, output, error, mocked }: ToolCall): string {
  const answer = error !== null ? `failed: ${error}` : `answered ${output ?? "nothing"}`;
  return `${tool_name}(${JSON.stringify(input)}) ${answer}${mocked ? " (made up)" : ""}`;
}
