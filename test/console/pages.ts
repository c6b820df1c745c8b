import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { makeSignInUrl } from "#launcher/sign-in-url";
import { startChromium } from "../harness/chromium.js";
import type { TestCluster } from "../harness/cluster.js";

/** What axe-core found, in its own words. */
interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { target: unknown; failureSummary: string }[] }[];
}

/** A page of a browser with a memory of its own. */
export interface OpenedPage {
  context: BrowserContext;
  page: Page;
  /** What its console, its policy and its network complained of so far. */
  complaints: string[];
}

export interface Pages {
  open(options?: Parameters<Browser["newContext"]>[0]): Promise<OpenedPage>;
  /** Opens a page that is signed in with the cluster's key, at an address below `/console`. */
  openSignedIn(path: string, options?: Parameters<Browser["newContext"]>[0]): Promise<OpenedPage>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const widths = [360, 1400];
const WITHIN_MS = 30_000;

/** Starts a browser before the tests that are described beside it; its microphone plays this WAV file. */
export function describeBrowser(started: () => TestCluster, microphoneFile?: string): Pages {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(microphoneFile);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return pagesOf(() => browser, started);
}

/** Pages of a browser that runs already. */
export function pagesOf(browser: () => Browser, started: () => TestCluster): Pages {
  const open: Pages["open"] = async (options = {}) => {
    const context = await browser().newContext(options);
    context.setDefaultTimeout(WITHIN_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    // The browser says nothing of a violation that the page's code caught.
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('policy refused ' + event.violatedDirective))",
    );
    page.on("console", (message) => {
      // That nobody is signed in any more is what the page finds out.
      const isSignedOut = message.text().includes("401 (Unauthorized)");
      if (["error", "warning"].includes(message.type()) && !isSignedOut) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "blob:" && origin !== started().baseUrl) complaints.push(`asked ${request.url()}`);
    });
    return { context, page, complaints };
  };
  return {
    open,
    openSignedIn: async (path, options) => {
      const { baseUrl, apiKey } = started();
      const opened = await open(options);
      const answer = await opened.context.request.post(`${baseUrl}/v1/console/session`, { data: { api_key: apiKey } });
      expect(answer.status()).toBe(201);
      await opened.page.goto(`${baseUrl}/console${path}`);
      return opened;
    },
  };
}

/**
 * Makes sure that a page keeps nobody out, narrow or wide; `name` says in failures which one it was. What `repeated`
 * selects is like what else is there, and only takes time.
 */
export async function inspect(page: Page, name: string, { repeated }: { repeated?: string } = {}): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect([name, width, await findingsOn(page, repeated)]).toEqual([name, width, []]);
    const widest: number = await page.evaluate("document.documentElement.scrollWidth");
    expect([name, width, widest <= width]).toEqual([name, width, true]);
  }
}

/** The serious findings on a page. Our policy runs no script that is not ours, so they run beside it. */
async function findingsOn(page: Page, repeated?: string): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run({ include: [["html"]], exclude: ${JSON.stringify(repeated === undefined ? [] : [[repeated]])} })`,
  )) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`,
    );
}

/** The address of a link that signs in. */
export async function signInLink({ baseUrl, apiKey }: TestCluster): Promise<string> {
  return (await makeSignInUrl(baseUrl, apiKey)) ?? "";
}
