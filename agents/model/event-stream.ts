import { OutboundError } from "#common/outbound/outbound-error";

/** Longest event that is taken, in characters: a delta is a few words, a complete tool call some thousands. */
const MAX_EVENT_CHARACTERS = 256 * 1024;

/**
 * Gives the data events of an event stream (WHATWG HTML, "Server-sent events"), each whole in one piece and without
 * names, ids and comments; ends with `[DONE]`, whatever the sender keeps open behind it. So its reader need not defend
 * itself against events that never end, come byte by byte, or bear names that mean something to it. Throws
 * `response_too_large` for an event that is too long, and `connection_lost` where the stream ends before `[DONE]`.
 */
export async function* dataEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let data: string[] = [];
  let characters = 0;
  for await (const line of linesOf(body)) {
    if (line.startsWith("data:")) {
      data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      characters += line.length;
      if (characters > MAX_EVENT_CHARACTERS) throw new OutboundError("response_too_large");
    } else if (line === "" && data.length > 0) {
      yield Buffer.from(`${data.map((part) => `data: ${part}\n`).join("")}\n`);
      if (data[0]?.startsWith("[DONE]") === true) return;
      data = [];
      characters = 0;
    }
  }
  throw new OutboundError("connection_lost");
}

/** Lines without their ends; what stands behind the last one is an event that broke off, and is dropped. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const line = pending + text.slice(start, end);
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
      pending = "";
      start = end + 1;
    }
    pending += text.slice(start);
    if (pending.length > MAX_EVENT_CHARACTERS) throw new OutboundError("response_too_large");
  }
}
