import type { MockGap, MockSource } from "#protocol/agents/test-runs";
import type { ToolResult } from "../dialogue/input.js";
import type { NamedTool } from "../tools/named-tools.js";
import { failed } from "../tools/results.js";
import type { ToolRunner } from "../tools/tool-runner.js";
import { mockAnswer, type ToolMocks } from "./mock-answer.js";
import { testedTool } from "./named-tool.js";

/** The tools of one run: answers that were prepared, and what is really called. */
export class TestedTools implements ToolRunner {
  readonly #named: ReadonlyMap<string, NamedTool>;
  readonly #mocks: ToolMocks;
  readonly #real: ToolRunner;
  readonly #calls = new Map<string, number>();
  readonly #gaps = new Map<string, MockGap>();
  readonly #sources = new Map<string, MockSource>();

  constructor(options: { named: ReadonlyMap<string, NamedTool>; mocks: ToolMocks; real: ToolRunner }) {
    this.#named = options.named;
    this.#mocks = options.mocks;
    this.#real = options.real;
  }

  /** The calls for which no answer was prepared, by tool. */
  get gaps(): MockGap[] {
    return [...this.#gaps.values()];
  }

  /** Where a call's answer came from; null for one that was not passed on to here. */
  sourceOf(callId: string): MockSource | null {
    return this.#sources.get(callId) ?? null;
  }

  async call(callId: string, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    const named = this.#named.get(name);
    if (named?.kind !== "attached") return { ...failed("There is no tool of this name"), latencyMs: 0 };
    const tool = testedTool(name, named);
    const earlier = this.#calls.get(name) ?? 0;
    this.#calls.set(name, earlier + 1);
    const decision = mockAnswer(this.#mocks, tool, named.definition, earlier);
    this.#sources.set(callId, decision.source);
    if (decision.source === "real") return await this.#real.call(callId, name, args, signal);
    if (decision.source === "missing" || decision.source === "unmatched") {
      const key = `${name}:${decision.source}`;
      const calls = (this.#gaps.get(key)?.calls ?? 0) + 1;
      this.#gaps.set(key, {
        ...{ tool_name: tool.name, tool_id: tool.id, tool_type: tool.type },
        ...{ source: decision.source, calls },
      });
    }
    return { ...decision.result, latencyMs: 0 };
  }
}
