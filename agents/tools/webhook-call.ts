import type { Logger } from "#common/log";
import type { Outbound } from "#common/outbound/outbound";
import { OutboundError } from "#common/outbound/outbound-error";
import type { HeaderList } from "#common/outbound/request-headers";
import { SealError, type Sealer } from "#common/secrets/sealer";
import { bodyText } from "#common/text/body-text";
import type { ConversationTool } from "#protocol/bus/conversation";
import { toolHopsHeader } from "#protocol/tools";
import { openCredentials } from "#tools/credentials";
import type { ToolDefinition } from "#tools/definition";
import { renderToolRequest, type SystemValues } from "#tools/render";
import { completed, failed, type UntimedResult } from "./results.js";

const MAX_REDIRECTS = 3;
/** Of an endpoint's answer; the rest is not read. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Shorter texts are found in answers by chance. */
const MIN_SECRET_CHARACTERS = 6;

export interface WebhookDependencies {
  outbound: Outbound;
  sealer: Sealer;
  log: Logger;
}

/**
 * Calls a webhook tool's endpoint. A status of 400 or more is a failure; what the model learns of one is the tool's
 * `error_handling`: status and body, or only that it failed. Arguments that cannot be sent are told in any case, since
 * the model can do better. Credentials that an endpoint repeats are taken out of its answer.
 */
export async function callWebhook(
  { outbound, sealer, log }: WebhookDependencies,
  { tool, definition }: { tool: ConversationTool; definition: ToolDefinition },
  args: Readonly<Record<string, unknown>>,
  system: SystemValues,
  signal: AbortSignal,
): Promise<UntimedResult> {
  const hides = definition.error_handling === "hide";
  const fail = (reason: string | number, error: string, output: string | null = null, isCut = false): UntimedResult => {
    log.warn({ toolId: tool.id, reason }, "a tool failed");
    return hides ? failed("The tool failed") : failed(error, output, isCut);
  };
  const credentials = credentialsOf(tool, sealer);
  if (credentials === null) return fail("sealed", "The tool's credentials cannot be opened");
  const rendering = renderToolRequest({ definition, credentials }, args, system);
  if (!rendering.ok) return failed(rendering.failure.message);
  try {
    const { status, headers, body, truncated } = await outbound.request({
      ...rendering.request,
      headers: withHops(rendering.request.headers),
      timeoutMs: definition.timeout_seconds * 1000,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      overflow: "truncate",
      maxRedirects: MAX_REDIRECTS,
      signal,
    });
    const text = withoutSecrets(bodyText(body, headers["content-type"] ?? "", truncated), credentials);
    if (status < 400) return completed(text, truncated);
    return fail(status, `The endpoint answered with status ${status}`, text, truncated);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return fail(error.reason, error.message);
  }
}

function credentialsOf(tool: ConversationTool, sealer: Sealer): Record<string, string> | null {
  try {
    return openCredentials(tool.id, tool.secrets, sealer);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** A conversation is the first to ask: whatever comes back in from here has been out once. */
function withHops(headers: HeaderList): HeaderList {
  return [...headers.filter(([name]) => name.toLowerCase() !== toolHopsHeader), [toolHopsHeader, "1"]];
}

/** Endpoints that show what they were sent must not show the model, and everybody it tells, a credential. */
function withoutSecrets(text: string, credentials: Readonly<Record<string, string>>): string {
  return Object.values(credentials)
    .flatMap((value) => [value, value.split(" ").at(-1) ?? ""])
    .filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
    .reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
