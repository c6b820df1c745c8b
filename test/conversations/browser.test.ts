import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "#protocol/agents/session";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { inspect, pagesOf } from "../console/pages.js";
import { PAGE_RATE, type PageRecord, servePage } from "../agents/page.js";
import { canRunChromium, startChromium } from "../harness/chromium.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { until } from "../harness/processes.js";
import { writeQuestionFile } from "../harness/question-file.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { call, publishAgent, recognize } from "./open-talk.js";

/** What the judge of agents' tests says. */
const verdict = JSON.stringify({ reasoning: "It names the hour.", verdict: "success" });

/** As a page has it. */
interface Canvas {
  width: number;
  height: number;
  ownerDocument: { createElement(name: "canvas"): Canvas };
  getContext(
    kind: "2d",
    options: { willReadFrequently: true },
  ): {
    drawImage(from: Canvas, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}

/** The share of a canvas's height that its tallest column of drawn pixels takes; runs in the page. */
function tallestColumn(element: unknown): number {
  const { width, height, ownerDocument } = element as Canvas;
  const copy = Object.assign(ownerDocument.createElement("canvas"), { width, height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(element as Canvas, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const drawn = new Array<number>(width).fill(0);
  for (let pixel = 0; pixel < data.length / 4; pixel++)
    if ((data[pixel * 4 + 3] ?? 0) > 0) drawn[pixel % width] = (drawn[pixel % width] ?? 0) + 1;
  return Math.max(...drawn) / height;
}

describe.skipIf(!canRunLiveKit || !canRunChromium)("a visitor of a page, in a browser", () => {
  const directory = temporaryDirectory("visitor");
  let livekit: TestLiveKit;
  let endpoint: ScriptedEndpoint;
  let cluster: TestCluster;
  let page: Awaited<ReturnType<typeof servePage>>;
  let browser: Browser;
  let agentId: string;

  beforeAll(async () => {
    livekit = await startLiveKit();
    page = await servePage();
    endpoint = await startScriptedEndpoint(({ response_format }) => [
      { text: response_format?.json_schema.name === "verdict" ? verdict : "We open at nine in the morning." },
      { finish: "stop" },
    ]);
    cluster = await startCluster({
      models: allModels,
      agents: 1,
      settings: {
        LIVEKIT_URL: livekit.url,
        LIVEKIT_API_KEY: livekit.apiKey,
        LIVEKIT_API_SECRET: livekit.apiSecret,
        LLM_BASE_URL: endpoint.baseUrl,
        LLM_MODEL: "scripted",
      },
    });
    agentId = await publishAgent(cluster, { prompt: { first_message_mode: "off" } });
    const origin = new URL(page.url).origin;
    const change = { public_enabled: true, allowed_origins: [origin] };
    await call(cluster, "PATCH", `/v1/agent/agents/${agentId}`, change);
    browser = await startChromium(await writeQuestionFile(cluster, { folder: directory.path, silenceSeconds: 10 }));
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await browser?.close();
    page?.close();
    await cluster?.stop();
    await Promise.all([livekit?.stop(), endpoint?.close()]);
    directory.remove();
  });

  const pages = pagesOf(
    () => browser,
    () => cluster,
  );
  const recordOf = (tab: Page): Promise<PageRecord> =>
    tab.evaluate("({ ...window.record, audio: [] })") as Promise<PageRecord>;
  const session = (id: string): Promise<SessionDetail> => call(cluster, "GET", `/v1/agent/sessions/${id}`);

  it("asks a public agent aloud, hears the answer, and ends the session by closing the page", async () => {
    const context = await browser.newContext({ permissions: ["microphone"] });
    const tab = await context.newPage();
    await tab.goto(page.url);
    const talk = `window.talk(${JSON.stringify(cluster.baseUrl)}, ${JSON.stringify(agentId)})`;
    const sessionId = (await tab.evaluate(talk)) as string;
    const said = async (): Promise<string> => {
      const { transcripts } = await recordOf(tab);
      return transcripts.map(({ text }) => text).join("\n");
    };
    await until(async () => (await said()).includes("We open at nine in the morning."), {
      withinMs: 20_000,
      what: "the answer",
    });
    const { states } = await recordOf(tab);
    expect(states).toContain("speaking");
    const heard = Buffer.from((await tab.evaluate("window.heard()")) as string, "base64");
    const samples = new Int16Array(heard.buffer.slice(heard.byteOffset, heard.byteOffset + heard.byteLength));
    // A busy machine loses packets, and with them a word.
    expect(await recognize(cluster, samples, PAGE_RATE)).toMatch(/in the morning/);
    await tab.close({ runBeforeUnload: true });
    await expect.poll(async () => (await session(sessionId)).status, { timeout: 10_000 }).toBe("completed");
    const { source, ended_reason: reason, items } = await session(sessionId);
    expect([source, reason]).toEqual(["public", "caller_left"]);
    const texts = items.flatMap((item) =>
      item.type === "message" ? [`${item.role}: ${item.content.toLowerCase()}`] : [],
    );
    expect(texts[0]).toMatch(/^user: .*(open|when)/);
    expect(texts[1]).toBe("assistant: we open at nine in the morning.");
    expect(endpoint.problems).toEqual([]);
    await context.close();
  }, 60_000);

  it("shows its team in the console what was said, how long each wait was, and how both sides sounded", async () => {
    const { context, page: tab, complaints } = await pages.openSignedIn("/calls?status=completed");
    await tab.getByRole("row", { name: /Test agent completed 0:\d\d a website/ }).waitFor();
    await inspect(tab, "calls");
    await tab.locator("tbody a").first().click();
    await tab.getByRole("heading", { level: 1, name: "Call with Test agent" }).waitFor();
    const timeline = tab.getByRole("list").filter({ hasText: "Caller" });
    await timeline.getByText(/We open at nine in the morning\./i).waitFor();
    await timeline.getByText(/^Reply after [\d,]+ ms \(end of turn/).waitFor();
    await tab.getByRole("heading", { name: "Analysis" }).waitFor();
    for (const side of ["caller", "agent"]) {
      const waveform = tab.getByRole("img", { name: `Loudness of the ${side}'s side` });
      await expect.poll(() => waveform.evaluate(tallestColumn), { timeout: 20_000 }).toBeGreaterThan(0.5);
    }
    const position = (): Promise<number> => tab.getByRole("slider", { name: "Position" }).inputValue().then(Number);
    await tab.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(position).toBeGreaterThan(0.2);
    const apart = (): Promise<number> =>
      tab.locator("audio").evaluateAll((sides) => {
        const times = sides.map((side) => (side as { currentTime?: number }).currentTime ?? 0);
        return Math.max(...times) - Math.min(...times);
      });
    expect(await apart()).toBeLessThan(0.5);
    await tab.getByRole("button", { name: "Pause" }).click();
    await tab.getByRole("slider", { name: "Position" }).fill("0");
    const moments = timeline.getByRole("button", { name: /^Play what was over at/ });
    await moments.last().click();
    await expect.poll(position).toBeGreaterThan(1);
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      await inspect(tab, `call, ${colorScheme}`);
    }
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);

  it("is talked to as a draft in the console, by voice and in writing", async () => {
    const {
      context,
      page: tab,
      complaints,
    } = await pages.openSignedIn(`/agents/${agentId}/talk`, { permissions: ["microphone"] });
    await tab.getByRole("button", { name: "Talk" }).click();
    const said = tab.getByRole("list", { name: "What was said" });
    await said
      .getByRole("listitem")
      .filter({ hasText: /^You .*open/i })
      .waitFor();
    const answers = said.getByRole("listitem").filter({ hasText: "We open at nine in the morning." });
    await answers.first().waitFor();
    await tab.getByRole("button", { name: "Mute" }).click();
    await tab.getByLabel("Your message").fill("And on Sundays?");
    await tab.getByLabel("Your message").press("Enter");
    await said.getByRole("listitem").filter({ hasText: "You And on Sundays?" }).waitFor();
    await answers.nth(1).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      await inspect(tab, `talk, ${colorScheme}`);
    }
    await tab.getByRole("button", { name: "Hang up" }).click();
    await tab.getByText("The call is over.").waitFor();
    await tab.getByRole("link", { name: "Look at the call" }).click();
    await tab.getByRole("heading", { name: "Timeline" }).waitFor();
    const previewId = new URL(tab.url()).pathname.split("/").at(-1) ?? "";
    await expect.poll(async () => (await session(previewId)).status, { timeout: 10_000 }).toBe("completed");
    expect((await session(previewId)).source).toBe("dashboard");
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);

  it("is tested in the console, and what the judge found is shown, again and over time", async () => {
    const { context, page: tab, complaints } = await pages.openSignedIn(`/tests?agent_id=${agentId}`);
    await tab.getByText("It has none.").waitFor();
    await tab.getByRole("link", { name: "New test" }).click();
    await tab.getByLabel("Words 1").fill("When do you open?");
    await tab.getByRole("button", { name: "Create the test" }).click();
    await tab.getByRole("alert").getByText("The test was not saved").waitFor();
    expect(await tab.getByLabel("Expectation").getAttribute("aria-invalid")).toBe("true");
    complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !complaint.includes("status of 422")));
    await tab.getByLabel("Name").fill("Opening hours");
    await tab.getByLabel("Expectation").fill("Names the hour.");
    await inspect(tab, "new test");
    await tab.getByRole("button", { name: "Create the test" }).click();
    await tab.getByRole("heading", { level: 1, name: "Opening hours" }).waitFor();
    await tab.getByRole("link", { name: "All tests" }).click();
    await tab.getByRole("row", { name: "Opening hours reply" }).waitFor();
    await tab.getByRole("button", { name: "Run them on the draft" }).click();
    await tab.getByRole("heading", { name: "Completed" }).waitFor();
    await tab.getByText("100 %").waitFor();
    await inspect(tab, "batch");
    const first = tab.url();
    await tab.getByRole("button", { name: "Run all again" }).click();
    await tab.waitForURL((url) => url.href !== first);
    await tab.getByRole("heading", { name: "Completed" }).waitFor();
    await tab.getByRole("link", { name: "Opening hours" }).click();
    await tab.getByText("It names the hour.").waitFor();
    await tab.getByRole("listitem").filter({ hasText: "We open at nine in the morning." }).waitFor();
    await tab.getByText("What the judge was asked").click();
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      await inspect(tab, `run, ${colorScheme}`);
    }
    await tab.goto(`${cluster.baseUrl}/console/tests?agent_id=${agentId}`);
    await tab.getByRole("img", { name: /^Pass rate over time/ }).waitFor();
    await inspect(tab, "tests");
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);

  it("is told why by a page of another origin, and nothing begins", async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(page.url.replace("127.0.0.1", "localhost"));
    const talk = `window.talk(${JSON.stringify(cluster.baseUrl)}, ${JSON.stringify(agentId)}).catch(({ message }) => message)`;
    expect(await tab.evaluate(talk)).toContain("Origin not allowed");
    await context.close();
  });
});
