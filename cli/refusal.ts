/** What the service says about a refused request, as short as its body allows. */
export async function refusal(response: { text(): Promise<string>; statusText: string }): Promise<string> {
  const body = await response.text();
  try {
    const parsed = JSON.parse(body) as { message?: unknown };
    if (typeof parsed.message === "string") return parsed.message;
  } catch {
    // Not JSON: shown as it is.
  }
  return body === "" ? response.statusText : body.slice(0, 500);
}
