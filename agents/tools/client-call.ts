import type { Clock } from "#common/clock";
import type { ConversationTool } from "#protocol/bus/conversation";
import type { ToolDefinition } from "#tools/definition";
import { MAX_ARGUMENT_CHARACTERS } from "#tools/render";
import { completed, failed, type UntimedResult } from "./results.js";

/** Asks the caller's program to run one of its tools; rejects where nobody can be asked. */
export type CallClient = (call: {
  callId: string;
  /** As the program registered it. */
  toolName: string;
  params: Record<string, unknown>;
  expectsResponse: boolean;
}) => Promise<{ result: unknown; isError: boolean }>;

/** A packet of LiveKit's reliable channel has 15 KiB at most; what is around the arguments needs some of it. */
const MAX_PARAMS_BYTES = 14_000;

/**
 * Has the caller's program run a tool, and waits for its result as long as the tool allows; one that expects no
 * response is done when it is sent. Only declared arguments are passed on.
 */
export async function callClientTool(
  { callClient, clock }: { callClient: CallClient; clock: Clock },
  { tool, definition }: { tool: ConversationTool; definition: ToolDefinition },
  { callId, args }: { callId: string; args: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<UntimedResult> {
  const declared = definition.arguments.flatMap(({ name }) =>
    Object.hasOwn(args, name) ? [[name, args[name]] as const] : [],
  );
  const params = Object.fromEntries(declared);
  if (declared.some(([, value]) => (JSON.stringify(value) ?? "").length > MAX_ARGUMENT_CHARACTERS))
    return failed(`An argument has more than ${MAX_ARGUMENT_CHARACTERS} characters`);
  if (Buffer.byteLength(JSON.stringify(params)) > MAX_PARAMS_BYTES)
    return failed(`The arguments have more than ${MAX_PARAMS_BYTES} bytes`);
  const expectsResponse = definition.expects_response;
  const asked = callClient({ callId, toolName: tool.name, params, expectsResponse });
  const limit = startLimit(clock, definition.timeout_seconds * 1000, signal);
  const answer = await Promise.race([asked.catch(() => "unreachable" as const), limit.reached]);
  limit.stop();
  if (answer === "unreachable") return failed("The caller's program could not be reached");
  if (answer === "timeout") return failed(`The caller's program did not answer within ${definition.timeout_seconds} s`);
  if (answer === "cancelled") return failed("The call was cancelled");
  if (!expectsResponse) return completed(null);
  const text = asText(answer.result);
  return answer.isError ? failed("The caller's program reported an error", text) : completed(text);
}

/** The end of a call's time, or of the wish for its result. */
function startLimit(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
): { reached: Promise<"timeout" | "cancelled">; stop: () => void } {
  let stop = (): void => undefined;
  const reached = new Promise<"timeout" | "cancelled">((resolve) => {
    const cancel = (): void => resolve("cancelled");
    const cancelTimer = clock.after(limitMs, () => resolve("timeout"));
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    stop = () => {
      cancelTimer();
      signal.removeEventListener("abort", cancel);
    };
  });
  return { reached, stop: () => stop() };
}

function asText(result: unknown): string {
  if (typeof result === "string") return result;
  return result === undefined || result === null ? "" : JSON.stringify(result);
}
