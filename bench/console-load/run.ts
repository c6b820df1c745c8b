import type { Browser } from "playwright-core";
import { startChromium } from "#test/harness/chromium";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { watchOthers } from "../machine.js";
import type { ConsoleLoadScenario } from "../scenarios.js";
import { type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";

export interface ConsoleLoadFigures {
  /** From the address to Home with the cluster's health in it, milliseconds; nothing was in the browser's cache. */
  homeMs: Spread;
  /** The same for a page of a few lines and no script: what the browser itself takes. */
  plainMs: Spread;
  /** Bytes that came over the wire for Home, as they were compressed. */
  homeBytes: number;
}

/** Opens the console again and again in a browser that knows nothing of it. */
export async function runConsoleLoad({
  rounds,
}: ConsoleLoadScenario): Promise<{ figures: ConsoleLoadFigures; invalid: string[] }> {
  const cluster = await startCluster({ models: ["espeak"], workers: 1 });
  const browser = await startChromium();
  try {
    // The first pages of a browser's life wait for the browser.
    await openPlain(browser, cluster);
    await openHome(browser, cluster);
    const others = watchOthers();
    const [home, plain]: [{ ms: number; bytes: number }[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      plain.push(await openPlain(browser, cluster));
      home.push(await openHome(browser, cluster));
    }
    const figures = {
      homeMs: spread(home.map(({ ms }) => ms)),
      plainMs: spread(plain),
      homeBytes: home.at(-1)?.bytes ?? 0,
    };
    // The browser itself is among the others; what else ran was looked at before.
    return { figures, invalid: objections({ load: { ...others.read(), others: 0 }, errors: 0 }) };
  } finally {
    await browser.close();
    await cluster.stop();
  }
}

async function openPlain(browser: Browser, { baseUrl }: TestCluster): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const fromMs = performance.now();
  await page.goto(`${baseUrl}/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const ms = performance.now() - fromMs;
  await context.close();
  return ms;
}

async function openHome(browser: Browser, { baseUrl, apiKey }: TestCluster): Promise<{ ms: number; bytes: number }> {
  const context = await browser.newContext();
  const signedIn = await context.request.post(`${baseUrl}/v1/console/session`, { data: { api_key: apiKey } });
  if (!signedIn.ok()) throw new Error(`the sign-in was answered with ${signedIn.status()}`);
  const page = await context.newPage();
  const fromMs = performance.now();
  await page.goto(`${baseUrl}/console/`);
  await page.getByText("All is well.").waitFor();
  const ms = performance.now() - fromMs;
  const bytes = (await page.evaluate(
    "performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)",
  )) as number;
  await context.close();
  return { ms, bytes };
}
