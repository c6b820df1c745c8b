/** The server's room service is HTTP beside the WebSocket of clients. */
export function httpUrl(url: string): string {
  return url.replace(/^ws/, "http");
}

/** Whether a LiveKit server answers that it serves; false too when it takes longer than `withinMs`. */
export async function answersAsLiveKit(url: string, withinMs: number): Promise<boolean> {
  try {
    const answer = await fetch(httpUrl(url), { signal: AbortSignal.timeout(withinMs) });
    return answer.ok && (await answer.text()).trim() === "OK";
  } catch {
    // Nobody there, or nobody who speaks HTTP: what was asked.
    return false;
  }
}
