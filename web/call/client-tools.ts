import type { ToolRequest } from "./agent-event.js";
import { type ClientEvent, encodeClientEvent } from "./client-event.js";

/** What a page does for the agent. What it gives, or what it throws, is what the agent reads. */
export type ToolFunction = (params: Readonly<Record<string, unknown>>, request: ToolRequest) => unknown;

/** A tool that the agent wants run and that nobody registered. A listener that runs it says so by `respond`. */
export interface ToolCall extends ToolRequest {
  /** Answers with this, or with what the promise gives. Takes effect while the event is dispatched, and once. */
  respond(result: unknown): void;
}

/** The tools that a page has for the agents that it talks to. */
export class ClientTools {
  readonly #tools = new Map<string, ToolFunction>();

  /** Another one of the same name takes its place. Gives the function that takes it away. */
  register(name: string, run: ToolFunction): () => void {
    this.#tools.set(name, run);
    return () => {
      if (this.#tools.get(name) === run) this.#tools.delete(name);
    };
  }

  /**
   * Runs what is asked for: the registered tool, or a listener that `offer` reaches. Gives the packet for the agent, or
   * null where it waits for none. Never throws: what goes wrong is the agent's to know.
   */
  async run(request: ToolRequest, offer: (call: ToolCall) => void): Promise<Uint8Array<ArrayBuffer> | null> {
    const answer = (event: { result?: unknown; isError?: boolean }): Uint8Array<ArrayBuffer> =>
      encodeClientEvent({ type: "client_tool.result", callId: request.callId, ...event } satisfies ClientEvent);
    try {
      const packet = answer({ result: await this.#resultOf(request, offer) });
      return request.expectsResponse ? packet : null;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return request.expectsResponse ? answer({ result: reason.slice(0, 1000), isError: true }) : null;
    }
  }

  async #resultOf(request: ToolRequest, offer: (call: ToolCall) => void): Promise<unknown> {
    const run = this.#tools.get(request.toolName);
    if (run !== undefined) return await run(request.params, request);
    const taken: { result: unknown }[] = [];
    offer({ ...request, respond: (result) => void taken.push({ result }) });
    const [first] = taken;
    if (first === undefined) throw new Error(`the page has no tool named ${request.toolName}`);
    return await first.result;
  }
}
