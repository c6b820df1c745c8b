import type { AgentEvent } from "#protocol/agents/events";

/** A tool of the agent at work, wherever it runs; sent where the agent tells of its tools. */
export interface ToolActivity {
  callId: string;
  toolName: string;
  status: "started" | "completed" | "failed";
  /** Its input, its output or what went wrong, cut where it is long. */
  text: string;
}

/** A tool that the agent wants the page to run. */
export interface ToolRequest {
  callId: string;
  toolName: string;
  params: Readonly<Record<string, unknown>>;
  /** Whether the agent waits for what the tool gives. */
  expectsResponse: boolean;
}

/** What a packet of the agent means to a page; null for what is not known here, for the protocol grows. */
export type AgentMessage = { type: "tool-request"; request: ToolRequest } | { type: "tool"; activity: ToolActivity };

type TypeOf<Event> = Event extends { type: infer Name } ? Name : never;
const activities = {
  "tool.started": ["started", "input"],
  "tool.completed": ["completed", "output"],
  "tool.failed": ["failed", "error"],
} as const satisfies Partial<Record<TypeOf<AgentEvent>, readonly [ToolActivity["status"], string]>>;

/**
 * Reads a packet of the topic `agent-event`. It comes from the room's agent through the server that checked it; a page
 * of a stranger looks at the fields that it takes, and loads no library to do so.
 */
export function readAgentMessage(packet: Uint8Array): AgentMessage | null {
  const event = parseObject(packet);
  if (event === null) return null;
  const { type, callId, toolName } = event;
  if (typeof type !== "string" || typeof callId !== "string" || typeof toolName !== "string") return null;
  if (type === "client_tool.call") {
    const params = isObject(event["params"]) ? event["params"] : {};
    return {
      type: "tool-request",
      request: { callId, toolName, params, expectsResponse: event["expectsResponse"] !== false },
    };
  }
  if (!isActivity(type)) return null;
  const [status, field] = activities[type];
  return { type: "tool", activity: { callId, toolName, status, text: String(event[field] ?? "") } };
}

const isActivity = (type: string): type is keyof typeof activities => Object.hasOwn(activities, type);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseObject(packet: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(packet));
    return isObject(value) ? value : null;
  } catch {
    // Not JSON, and so no event of an agent.
    return null;
  }
}
