import type { Clock } from "#common/clock";
import type { Outbound } from "#common/outbound/outbound";
import { OutboundError } from "#common/outbound/outbound-error";
import type { Sealer } from "#common/secrets/sealer";
import { bodyText } from "#common/text/body-text";
import { type Problem, ServiceError } from "#protocol/errors";
import {
  MAX_TEST_RESPONSE_BYTES,
  MAX_TOOL_HOPS,
  toolHopsHeader,
  type ToolTestRequest,
  type ToolTestResult,
} from "#protocol/tools";
import { renderTestRequest } from "#tools/render";
import { openCredentials } from "#tools/credentials";
import type { ToolRow } from "./table.js";
import { literalUrl } from "#tools/url-template";

const MAX_REDIRECTS = 3;

export interface TestDependencies {
  outbound: Outbound;
  sealer: Sealer;
  clock: Clock;
  /**
   * Fires when this process must answer what is under way, for a test may take longer than its end; never when absent.
   */
  ending?: AbortSignal | undefined;
}

/**
 * Sends a real request to a webhook tool's endpoint and gives what came back. The URL goes out as it was saved; system
 * variables are those that the arguments bring in an object named `system`. A request that gets no answer within the
 * tool's own timeout is a result too, with its reason in `error`. `hops` is how often the asking request itself came
 * out of a tool: past `MAX_TOOL_HOPS` nothing is sent, or a tool that names this service would go round for ever.
 * Throws `validation` for a tool without an endpoint and for arguments that cannot be sent.
 */
export async function testTool(
  dependencies: TestDependencies,
  row: ToolRow,
  given: ToolTestRequest,
  hops: number,
): Promise<ToolTestResult> {
  const { outbound, sealer, clock, ending } = dependencies;
  const { definition } = row;
  if (row.toolType !== "webhook") throw refusal(["tool_id"], "Only webhook tools can be tested");
  const credentials = openCredentials(row.id, row.secrets, sealer);
  const rendering = renderTestRequest({ definition, credentials }, given.arguments, literalUrl(definition.url));
  if (!rendering.ok) throw refusal(["arguments"], rendering.failure.message);
  const none = { status_code: null, response_headers: {}, response_body: "", response_truncated: false };
  if (hops >= MAX_TOOL_HOPS)
    return { ...none, latency_ms: 0, error: "The request went in a circle: tools called this service too often" };
  const startedMs = clock.nowMs();
  const latencyMs = (): number => Math.round(clock.nowMs() - startedMs);
  try {
    const { status, headers, body, truncated } = await outbound.request({
      ...rendering.request,
      headers: [
        ...(rendering.request.headers ?? []).filter(([name]) => name.toLowerCase() !== toolHopsHeader),
        [toolHopsHeader, String(hops + 1)],
      ],
      timeoutMs: definition.timeout_seconds * 1000,
      ...(ending === undefined ? {} : { signal: ending }),
      maxResponseBytes: MAX_TEST_RESPONSE_BYTES,
      overflow: "truncate",
      maxRedirects: MAX_REDIRECTS,
    });
    return {
      status_code: status,
      latency_ms: latencyMs(),
      response_headers: headers,
      response_body: bodyText(body, headers["content-type"] ?? "", truncated),
      response_truncated: truncated,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { ...none, latency_ms: latencyMs(), error: error.message };
  }
}

function refusal(loc: string[], msg: string): ServiceError {
  const problem: Problem = { type: "value_error", loc: ["body", ...loc], msg };
  return new ServiceError("validation", { problems: [problem] });
}
