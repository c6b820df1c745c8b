import { accounts } from "./0001-accounts.js";
import { voices } from "./0002-voices.js";
import { webhooks } from "./0020-webhooks.js";
import { agents } from "./0030-agents.js";
import { agentTests } from "./0031-agent-tests.js";
import { phoneNumbers } from "./0032-phone-numbers.js";
import { tools } from "./0040-tools.js";
import { knowledge } from "./0041-knowledge.js";
import { ledger } from "./0050-ledger.js";
import { holdExpiry } from "./0060-hold-expiry.js";
import { webhookLanes } from "./0061-webhook-lanes.js";
import { sessions } from "./0070-sessions.js";
import { sessionLogs } from "./0071-session-logs.js";
import { testRuns } from "./0080-test-runs.js";
import { sessionAnalyses } from "./0081-session-analyses.js";
import { conversationUsage } from "./0090-conversation-usage.js";
import { recordings } from "./0091-recordings.js";
import { consoleSessions } from "./0100-console-sessions.js";
import { usageLatencies } from "./0110-usage-latencies.js";
import { phoneProvisioning } from "./0120-phone-provisioning.js";
import { phoneGatewayUse } from "./0121-phone-gateway-use.js";
import { phoneCalls } from "./0130-phone-calls.js";
import { transfers } from "./0150-transfers.js";
import type { Migration } from "./migration.js";

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [
  accounts,
  voices,
  webhooks,
  agents,
  agentTests,
  phoneNumbers,
  tools,
  knowledge,
  ledger,
  holdExpiry,
  webhookLanes,
  sessions,
  sessionLogs,
  testRuns,
  sessionAnalyses,
  conversationUsage,
  recordings,
  consoleSessions,
  usageLatencies,
  phoneProvisioning,
  phoneGatewayUse,
  phoneCalls,
  transfers,
];
