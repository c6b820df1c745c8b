import { OutboundError } from "#common/outbound/outbound-error";
import type { ConfigPatch } from "#protocol/agents/config-patch";
import { configLimits } from "#protocol/agents/config-values";
import { type Problem, ServiceError } from "#protocol/errors";
import { hasAtMostTokens } from "#common/text/token-count";

/** Judges an address for saving; throws OutboundError with the reason against it. */
export type CheckUrl = (url: string) => Promise<void>;

type Location = (string | number)[];

/**
 * Checks of a patch that take time: the prompt's tokens, and that every address leads to public hosts only.
 * Throws `validation`; `location` is where the patch lies in the body.
 */
export async function checkPatch(patch: ConfigPatch, checkUrl: CheckUrl, location: string[]): Promise<void> {
  const prompt = patch.prompt?.system_prompt;
  const findings = await Promise.all([
    prompt === undefined ? null : checkPrompt(prompt, [...location, "prompt", "system_prompt"]),
    ...addresses(patch).map(({ url, path }) => judge(url, checkUrl, [...location, ...path])),
  ]);
  const problems = findings.filter((finding) => finding !== null);
  if (problems.length > 0) throw new ServiceError("validation", { problems });
}

/** What is wrong with a system prompt that has too many tokens; null where nothing is. */
export async function checkPrompt(prompt: string, loc: Location): Promise<Problem | null> {
  const limit = configLimits.systemPromptTokens;
  if (await hasAtMostTokens(prompt, limit)) return null;
  return {
    type: "too_many_tokens",
    loc,
    msg: `System prompt should have at most ${limit} tokens`,
    ctx: { max_tokens: limit },
  };
}

function addresses(patch: ConfigPatch): { url: string; path: Location }[] {
  const postCall = (patch.webhooks?.post_call ?? []).map(({ url }, index) => ({
    url,
    path: ["webhooks", "post_call", index, "url"],
  }));
  const init = patch.webhooks?.conversation_init ?? null;
  const custom = patch.llm?.custom ?? null;
  return [
    ...postCall,
    ...(init === null ? [] : [{ url: init.url, path: ["webhooks", "conversation_init", "url"] }]),
    ...(custom === null ? [] : [{ url: custom.base_url, path: ["llm", "custom", "base_url"] }]),
  ];
}

async function judge(url: string, checkUrl: CheckUrl, loc: Location): Promise<Problem | null> {
  try {
    await checkUrl(url);
    return null;
  } catch (error) {
    if (error instanceof OutboundError) return { type: "url_not_allowed", loc, msg: error.message };
    throw error;
  }
}
