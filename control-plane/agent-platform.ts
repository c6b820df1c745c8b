import type { Clock } from "#common/clock";
import type { Outbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import { agentTestRoutes } from "./agent-tests/routes.js";
import { testRunRoutes } from "./agent-tests/run-routes.js";
import type { Attachables } from "./agents/attachables.js";
import { agentRoutes } from "./agents/routes.js";
import type { Db } from "./database/database.js";
import type { Route } from "./http/route.js";
import { knowledgeRoutes } from "./knowledge/routes.js";
import { holdSources, pinSources } from "./knowledge/store.js";
import type { PhoneContext } from "./phone/context.js";
import { phoneRoutes } from "./phone/routes.js";
import { toolRoutes } from "./tools/routes.js";
import { freezeTools, holdTools } from "./tools/store.js";

export interface AgentPlatformOptions {
  db: Db;
  outbound: Outbound;
  sealer: Sealer;
  clock: Clock;
  /** Wall-clock time. */
  now: () => Date;
  /** Whether a runtime lives that runs agents' tests. */
  canRunTests: () => boolean;
  /** Says that there are test runs to take. */
  onTestRunsQueued: () => void;
  phones: PhoneContext;
  /** Fires when this process must answer what is under way; never when absent. */
  ending?: AbortSignal | undefined;
}

/** What agents' configurations refer to. */
export const attachables: Attachables = {
  tools: { hold: holdTools, freeze: freezeTools },
  knowledge: { hold: holdSources, freeze: pinSources },
};

/** Every route under `/v1/agent` but those of sessions. */
export function agentPlatformRoutes(options: AgentPlatformOptions): Route[] {
  const { db, outbound, sealer, clock, now, ending, canRunTests: canRun, onTestRunsQueued: onQueued } = options;
  return [
    ...agentRoutes({ db, sealer, attachables, checkUrl: (url) => outbound.checkUrl(url), now }),
    ...toolRoutes({ db, outbound, sealer, clock, now, ending }),
    ...knowledgeRoutes({ db, sealer, now }),
    ...agentTestRoutes({ db, sealer, attachables, now }),
    ...testRunRoutes({ db, sealer, attachables, canRun, onQueued, now }),
    ...phoneRoutes(options.phones),
  ];
}
