import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeSignInUrl } from "#launcher/sign-in-url";
import { startChromium } from "../harness/chromium.js";
import type { TestCluster } from "../harness/cluster.js";

/** What axe-core found, in its own words. */
interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { target: unknown; failureSummary: string }[] }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const widths = [360, 1400];
const WITHIN_MS = 30_000;

/** The pages as Chromium shows them, on a cluster that nobody has used yet. */
export function describePages(started: () => TestCluster): void {
  let cluster: TestCluster;
  let browser: Browser;

  beforeAll(async () => {
    cluster = started();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** A page, and what its console, its policy and its network complained of. */
  async function openPage(
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(WITHIN_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      // That nobody is signed in any more is what the page finds out.
      const isSignedOut = message.text().includes("401 (Unauthorized)");
      if (["error", "warning"].includes(message.type()) && !isSignedOut) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(cluster.baseUrl)) complaints.push(`asked ${request.url()}`);
    });
    return { context, page, complaints };
  }

  /** The serious findings on a page. Our policy runs no script that is not ours, so they run beside it. */
  async function findingsOn(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate("axe.run(document)")) as AxeResults;
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`,
      );
  }

  async function speak(): Promise<void> {
    const spoken = await fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "Twenty-six characters here", format: "wav" }),
    });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  }

  const widestIn = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

  it("signs in by the link of the banner, once, and out", async () => {
    const { context, page, complaints } = await openPage();
    const link = await makeSignInUrl(cluster.baseUrl, cluster.apiKey);
    await page.goto(link ?? "");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByText("All is well.").waitFor();
    expect(page.url()).toMatch(/\/console\/?$/);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "parley_session", httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await page.goto(`${cluster.baseUrl}/console`);
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    expect(complaints).toEqual([]);
    await page.goto(`${cluster.baseUrl}/`);
    await page.goto(link ?? "");
    await page.getByRole("alert").getByText("not good any more").waitFor();
    await page
      .getByRole("alert")
      .getByText(/Request id [0-9a-f]{32}/)
      .waitFor();
    await context.close();
  }, 120_000);

  it("shows by itself what was used, in a chart and in a table", async () => {
    const { context, page, complaints } = await openPage();
    await page.goto((await makeSignInUrl(cluster.baseUrl, cluster.apiKey)) ?? "");
    await page.getByText("Nothing was used in the last 14 days.").waitFor();
    await speak();
    await page.getByRole("img", { name: /^Requests of the last/ }).waitFor();
    await page.getByText("The numbers, by day (UTC)").click();
    await page.getByRole("row", { name: /^\d{4}-\d\d-\d\d 1 0 26 / }).waitFor();
    await page.getByRole("row", { name: /^First audio of speech 1 \d+ ms/ }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it("signs in with a key and the keyboard alone, and keeps the chosen colours", async () => {
    const { context, page, complaints } = await openPage({ colorScheme: "light" });
    await page.goto(`${cluster.baseUrl}/console?came=here`);
    await page.getByLabel("API key").focus();
    await page.keyboard.type(cluster.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(page.url()).toBe(`${cluster.baseUrl}/console/?came=here`);
    const colour = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await colour();
    await page.getByRole("radio", { name: "Dark" }).press("Space");
    await expect.poll(colour).not.toBe(light);
    const dark = await colour();
    await page.reload();
    await page.getByText("All is well.").waitFor();
    expect(await colour()).toBe(dark);
    await page.goto(`${cluster.baseUrl}/console/nowhere/at-all`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it.each(["light", "dark"] as const)("keeps nobody out, narrow or wide, %s", async (colorScheme) => {
    const { context, page, complaints } = await openPage({ colorScheme });
    const found: unknown[] = [];
    const inspect = async (name: string): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        found.push(...(await findingsOn(page)).map((finding) => [name, width, finding]));
        expect([name, width, (await widestIn(page)) <= width]).toEqual([name, width, true]);
      }
    };
    await speak();
    await page.goto(`${cluster.baseUrl}/console`);
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await inspect("sign-in");
    await page.goto((await makeSignInUrl(cluster.baseUrl, cluster.apiKey)) ?? "");
    await page.getByText("All is well.").waitFor();
    await page.getByRole("img", { name: /^Requests of the last/ }).waitFor();
    for (const closed of await page.locator("summary").all()) await closed.click();
    await inspect("home");
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);
}
