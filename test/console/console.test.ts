import { afterAll, beforeAll, describe } from "vitest";
import { canRunChromium } from "../harness/chromium.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { describePages } from "./browser.js";
import { describeSignIn } from "./sign-in.js";

describe("the console", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster({ models: ["espeak"] });
  });
  afterAll(() => cluster?.stop());

  describe.skipIf(!canRunChromium)("in a browser", () => describePages(() => cluster));
  describe("without one", () => describeSignIn(() => cluster));
});
