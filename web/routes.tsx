import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { filtersOf } from "./calls/call-filters.js";
import { SignIn } from "./session/sign-in.js";
import { usageFiltersOf } from "./usage/usage-filters.js";
import { NotFound } from "./shell/not-found.js";
import { Shell } from "./shell/shell.js";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignIn,
  // Where to go on: a page of the console, never an address elsewhere.
  validateSearch: ({ back }): { back?: string } =>
    typeof back === "string" && /^\/(?![/\\])/.test(back) ? { back } : {},
});

/** The agent that a page is about. */
const agentOf = ({ agent_id }: Record<string, unknown>): { agent_id?: string } =>
  typeof agent_id === "string" && agent_id !== "" ? { agent_id } : {};

const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in", component: Shell });

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home.js"), "Home"),
});

const speak = createRoute({
  getParentRoute: () => signedIn,
  path: "/speak",
  component: lazyRouteComponent(() => import("./speak/speak.js"), "Speak"),
  validateSearch: ({ voice }): { voice?: string } => (typeof voice === "string" ? { voice } : {}),
});

const transcribe = createRoute({
  getParentRoute: () => signedIn,
  path: "/transcribe",
  component: lazyRouteComponent(() => import("./transcribe/transcribe.js"), "Transcribe"),
});

const voices = createRoute({
  getParentRoute: () => signedIn,
  path: "/voices",
  component: lazyRouteComponent(() => import("./voices/voices.js"), "Voices"),
});

const agents = createRoute({
  getParentRoute: () => signedIn,
  path: "/agents",
  component: lazyRouteComponent(() => import("./agents/list/agents.js"), "Agents"),
});

const agent = createRoute({
  getParentRoute: () => signedIn,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("./agents/agent/agent.js"), "Agent"),
});

const agentConfiguration = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: lazyRouteComponent(() => import("./agents/editor/configuration.js"), "Configuration"),
});

const agentTalk = createRoute({
  getParentRoute: () => agent,
  path: "/talk",
  component: lazyRouteComponent(() => import("./agents/talk/talk.js"), "Talk"),
});

const agentVersions = createRoute({
  getParentRoute: () => agent,
  path: "/versions",
  component: lazyRouteComponent(() => import("./agents/versions/versions.js"), "Versions"),
});

const agentTools = createRoute({
  getParentRoute: () => agent,
  path: "/tools",
  component: lazyRouteComponent(() => import("./agents/tools/tools.js"), "Tools"),
});

const agentTool = createRoute({
  getParentRoute: () => agent,
  path: "/tools/$toolId",
  component: lazyRouteComponent(() => import("./agents/tools/tool-page.js"), "ToolPage"),
});

const agentKnowledge = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge",
  component: lazyRouteComponent(() => import("./agents/knowledge/knowledge.js"), "Knowledge"),
});

const agentWebhooks = createRoute({
  getParentRoute: () => agent,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./agents/webhooks/webhooks.js"), "Webhooks"),
});

const agentSharing = createRoute({
  getParentRoute: () => agent,
  path: "/sharing",
  component: lazyRouteComponent(() => import("./agents/sharing/sharing.js"), "Sharing"),
});

const agentWidget = createRoute({
  getParentRoute: () => agent,
  path: "/widget",
  component: lazyRouteComponent(() => import("./agents/sharing/widget.js"), "Widget"),
});

const agentSettings = createRoute({
  getParentRoute: () => agent,
  path: "/settings",
  component: lazyRouteComponent(() => import("./agents/settings/settings.js"), "Settings"),
});

const phone = createRoute({
  getParentRoute: () => signedIn,
  path: "/phone",
  component: lazyRouteComponent(() => import("./phone/phone-page.js"), "Phone"),
});

const calls = createRoute({
  getParentRoute: () => signedIn,
  path: "/calls",
  component: lazyRouteComponent(() => import("./calls/calls.js"), "Calls"),
  validateSearch: filtersOf,
});

const call = createRoute({
  getParentRoute: () => signedIn,
  path: "/calls/$sessionId",
  component: lazyRouteComponent(() => import("./calls/call.js"), "Call"),
});

const tests = createRoute({
  getParentRoute: () => signedIn,
  path: "/tests",
  component: lazyRouteComponent(() => import("./agent-tests/tests-page.js"), "Tests"),
  validateSearch: agentOf,
});

const newTest = createRoute({
  getParentRoute: () => signedIn,
  path: "/tests/new",
  component: lazyRouteComponent(() => import("./agent-tests/test-page.js"), "NewTest"),
  validateSearch: agentOf,
});

const test = createRoute({
  getParentRoute: () => signedIn,
  path: "/tests/$testId",
  component: lazyRouteComponent(() => import("./agent-tests/test-page.js"), "TestPage"),
});

const testBatch = createRoute({
  getParentRoute: () => signedIn,
  path: "/tests/batches/$agentId/$batchId",
  component: lazyRouteComponent(() => import("./agent-tests/batch-page.js"), "BatchPage"),
});

const testRun = createRoute({
  getParentRoute: () => signedIn,
  path: "/tests/runs/$runId",
  component: lazyRouteComponent(() => import("./agent-tests/run-page.js"), "RunPage"),
});

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: "/usage",
  component: lazyRouteComponent(() => import("./usage/usage-page.js"), "Usage"),
  validateSearch: usageFiltersOf,
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys/keys-page.js"), "Keys"),
});

const deliveries = createRoute({
  getParentRoute: () => signedIn,
  path: "/deliveries",
  component: lazyRouteComponent(() => import("./deliveries/deliveries.js"), "Deliveries"),
});

const traces = createRoute({
  getParentRoute: () => signedIn,
  path: "/traces",
  component: lazyRouteComponent(() => import("./traces/traces.js"), "Traces"),
});

const trace = createRoute({
  getParentRoute: () => signedIn,
  path: "/traces/$traceId",
  component: lazyRouteComponent(() => import("./traces/traces.js"), "Trace"),
});

/** The console's addresses, all below `/console`. A section's code is loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([
      home,
      speak,
      transcribe,
      voices,
      agents,
      agent.addChildren([
        agentConfiguration,
        agentTalk,
        agentVersions,
        agentTools,
        agentTool,
        agentKnowledge,
        agentWebhooks,
        agentSharing,
        agentWidget,
        agentSettings,
      ]),
      phone,
      calls,
      call,
      tests,
      newTest,
      test,
      testBatch,
      testRun,
      usage,
      keys,
      deliveries,
      traces,
      trace,
    ]),
  ]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
