import { afterAll, beforeAll, describe } from "vitest";
import { canRunChromium } from "../harness/chromium.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { describeAgents } from "./agents.js";
import { describeAgentPages } from "./agent-pages.js";
import { describeAgentTabs } from "./agent-tabs.js";
import { describeAudio } from "./audio.js";
import { describePages } from "./browser.js";
import { describeKeys } from "./keys.js";
import { describePhone } from "./phone.js";
import { describeTraces } from "./traces.js";
import { describeSignIn } from "./sign-in.js";

describe("the console", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    // Tools of these tests call this machine.
    cluster = await startCluster({
      models: allModels,
      readyMs: 150_000,
      settings: { PARLEY_OUTBOUND_ALLOW: "127.0.0.1", PARLEY_SPANS: "on" },
    });
  });
  afterAll(() => cluster?.stop());

  describe.skipIf(!canRunChromium)("in a browser", () => describePages(() => cluster));
  describe.skipIf(!canRunChromium)("its agents", () => describeAgents(() => cluster));
  describe.skipIf(!canRunChromium)("the tabs of an agent", () => describeAgentTabs(() => cluster));
  describe.skipIf(!canRunChromium)("the pages of agents", () => describeAgentPages(() => cluster));
  describe.skipIf(!canRunChromium)("keys and use", () => describeKeys(() => cluster));
  describe.skipIf(!canRunChromium)("phone numbers", () => describePhone(() => cluster));
  describe.skipIf(!canRunChromium)("with its voice, in a browser", () => describeAudio(() => cluster));
  describe.skipIf(!canRunChromium)("traces and deliveries", () => describeTraces(() => cluster));
  describe("without one", () => describeSignIn(() => cluster));
});
