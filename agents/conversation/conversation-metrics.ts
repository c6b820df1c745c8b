import type { ToolSource, TurnLatency } from "#protocol/bus/conversation-log";
import type { Metrics } from "#common/metrics/registry";
import type { ConversationOutcome } from "./outcome.js";

/** What a runtime counts of its conversations. */
export interface ConversationMetrics {
  begun(): void;
  over(outcome: ConversationOutcome): void;
  turn(latency: TurnLatency): void;
  toolCalled(source: ToolSource, status: "completed" | "failed", latencyMs: number): void;
}

/** Opens what is counted of conversations; `active` is read when it is scraped. */
export function createConversationMetrics(metrics: Metrics, active: () => number): ConversationMetrics {
  metrics.gauge("parley_conversations_active", active);
  const begun = metrics.counter("parley_conversations_begun_total");
  const over = metrics.counter("parley_conversations_over_total");
  const turns = metrics.histogram("parley_turn_seconds");
  const parts = metrics.histogram("parley_turn_part_seconds");
  const tools = metrics.histogram("parley_tool_seconds");
  return {
    begun: () => begun({}),
    over: (outcome) => over({ outcome }),
    turn: (latency) => {
      turns({}, latency.totalMs / 1000);
      const { endpointingMs, recognitionMs, modelFirstTokenMs, firstClauseMs, firstAudioMs } = latency;
      const times = {
        endpointing: endpointingMs,
        recognition: recognitionMs,
        model: modelFirstTokenMs,
        clause: firstClauseMs,
        audio: firstAudioMs,
      };
      for (const [part, ms] of Object.entries(times)) if (ms !== null) parts({ part }, ms / 1000);
    },
    toolCalled: (source, status, latencyMs) => tools({ source, outcome: status }, latencyMs / 1000),
  };
}
