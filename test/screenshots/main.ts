import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dispose } from "@livekit/rtc-node";
import type { Browser, Page } from "playwright-core";
import { startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { signInLink } from "../console/pages.js";
import { call, openTalk, publishAgent } from "../conversations/open-talk.js";
import { startChromium } from "../harness/chromium.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { startLiveKit } from "../harness/livekit.js";

// `npm run docs:images`: takes the pictures of the console in docs/images, of a cluster in which something happened.

const folder = join(import.meta.dirname, "../../../docs/images");
const WITHIN_MS = 30_000;

const agentConfig = {
  prompt: {
    system_prompt: "You answer the phone of a small museum. Be brief and friendly.",
    first_message_mode: "fixed",
    first_message: "Hello, this is the museum. How can I help you?",
  },
};

async function main(): Promise<void> {
  const livekit = await startLiveKit();
  const endpoint = await startScriptedEndpoint(({ response_format }) => [
    { text: response_format === undefined ? "We open at nine, and we close at six." : analysis },
    { finish: "stop" },
  ]);
  const cluster = await startCluster({
    models: allModels,
    agents: 1,
    settings: {
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: livekit.apiKey,
      LIVEKIT_API_SECRET: livekit.apiSecret,
      LLM_BASE_URL: endpoint.baseUrl,
      LLM_MODEL: "museum-model",
    },
  });
  const browser = await startChromium();
  try {
    const sessionId = await holdCall(cluster);
    await takePictures(browser, cluster, sessionId);
  } finally {
    await browser.close();
    await cluster.stop();
    await Promise.all([livekit.stop(), endpoint.close()]);
    await dispose();
  }
}

const analysis = JSON.stringify({
  summary: "The caller asked for the opening hours and was told.",
  data: [],
  criteria: [],
});

/** One call with a question in it; gives its session once its recording is whole. */
async function holdCall(cluster: TestCluster): Promise<string> {
  const agentId = await publishAgent(cluster, agentConfig);
  await call(cluster, "PATCH", `/v1/agent/agents/${agentId}`, { name: "Museum guide" });
  const talk = await openTalk(cluster, agentId);
  await talk.untilSaid("How can I help you?");
  await talk.say("When do you open in the morning?");
  await talk.untilSaid("We open at nine");
  await talk.say("Thank you.");
  await talk.caller.leave();
  return talk.sessionId;
}

async function takePictures(browser: Browser, cluster: TestCluster, sessionId: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const open = (path: string): Promise<unknown> => page.goto(`${cluster.baseUrl}/console${path}`);
  await page.goto(await signInLink(cluster));
  await page.getByText("All is well.").waitFor();

  await open("/speak");
  await page.getByLabel("Text", { exact: true }).fill("Good morning. This is a voice that you run yourself.");
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  await page.getByText(/First audio/).waitFor();
  await take(page, "console-speak");

  await open(`/calls/${sessionId}`);
  await page
    .getByText(/^Reply after/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByText(/^0:04 /).waitFor();
  await take(page, "console-call");

  await open("/agents");
  await page.getByRole("link", { name: "Museum guide" }).click();
  await page.getByLabel("Instructions").waitFor();
  await take(page, "console-agent");

  await open("/");
  await page.getByRole("img", { name: /^Requests of the last/ }).waitFor();
  await take(page, "console-home");
  await context.close();
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  console.log(path);
}

await main();
