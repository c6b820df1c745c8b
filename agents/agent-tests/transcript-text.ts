import type { TranscriptMessage } from "#protocol/agents/test-runs";
import type { CallInText } from "./text-conversation.js";

/**
 * What was said and done, a line each in order, as models read it. Texts are quoted as JSON, so that none can pass for
 * another line. Pure.
 */
export function transcriptText(
  transcript: readonly Pick<TranscriptMessage, "role" | "text" | "seq">[],
  calls: readonly CallInText[],
): string {
  const lines = [
    ...transcript.map(({ role, text, seq }) => ({
      seq: seq ?? 0,
      line: `${role === "user" ? "Caller" : "Agent"}: ${JSON.stringify(text)}`,
    })),
    ...calls.map((call) => ({ seq: call.seq, line: callLine(call) })),
  ];
  return lines
    .sort((a, b) => a.seq - b.seq)
    .map(({ line }) => line)
    .join("\n");
}

function callLine({ name, input, status, output, error }: CallInText): string {
  const result = status === "failed" ? `failed: ${JSON.stringify(error ?? "")}` : JSON.stringify(output ?? "");
  return `Agent calls ${name} with ${JSON.stringify(input)}; result ${result}`;
}
