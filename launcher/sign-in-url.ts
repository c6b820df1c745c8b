import { signInCode } from "#protocol/console";
import { issueSignInCode } from "#protocol/operations/console";

const ANSWER_MS = 3000;

/** An address that opens the console signed in with a key, once; null where the edge gives none. */
export async function makeSignInUrl(baseUrl: string, apiKey: string): Promise<string | null> {
  const { method, path } = issueSignInCode;
  try {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? `${baseUrl}${signInCode.parse(await answer.json()).path}` : null;
  } catch {
    return null; // a convenience: the key signs in as well
  }
}
