import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleAddress } from "#protocol/operations/operation";
import { describeBrowser, inspect } from "../console/pages.js";
import { canRunChromium } from "../harness/chromium.js";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

/** What of the OpenAPI document is read here. */
interface Described {
  paths: Record<string, Record<string, { "x-codeSamples"?: { lang: string; source: string }[] }>>;
}
const run = promisify(execFile);

/** Requests that are folded up, but for the first two of each tag. */
const FOLDED = ".operation-tag-content span:nth-child(n+3) > .opblock:not(.is-open)";

describe.skipIf(!canRunChromium)("the reference at /docs, in a browser", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });
  const directory = temporaryDirectory("docs");
  afterAll(() => directory.remove());
  const pages = describeBrowser(() => cluster);

  it("tries a request with a key and shows its answer", async () => {
    const { context, page, complaints } = await pages.open({ colorScheme: "light" });
    await page.goto(`${cluster.baseUrl}/docs`);

    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByLabel("auth-bearer-value").fill(cluster.apiKey);
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close" }).click();

    const usage = page.locator("#operations-Wallet-getV1Usage");
    await usage.getByRole("button", { expanded: false }).first().click();
    await usage.getByRole("button", { name: "Execute" }).click();
    const answer = usage.locator(".live-responses-table .response");
    await answer.waitFor();
    const shown = await answer.innerText();
    expect(shown).toMatch(/^\s*200\b/);
    expect(shown).toContain('"group_by"');

    const speak = page.locator("#operations-Speech-postV1Tts");
    await speak.getByRole("button", { expanded: false }).first().click();
    await speak.getByRole("button", { name: "Python" }).click();
    expect(await speak.getByRole("region", { name: "Example" }).innerText()).toContain(`"${cluster.baseUrl}/v1/tts"`);
    expect(await speak.getByLabel("Body of the request").inputValue()).toContain("Hello there.");

    expect(await page.locator(FOLDED).count()).toBeGreaterThan(50);
    await inspect(page, "/docs with open operations", { repeated: FOLDED });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("can be read in the dark, sockets and events too, and with the keyboard", async () => {
    const { context, page, complaints } = await pages.open({ colorScheme: "dark" });
    await page.goto(`${cluster.baseUrl}/docs`);
    const health = page.locator("#operations-Operation-getHealth");
    await health.getByRole("button", { expanded: false }).first().focus();
    await page.keyboard.press("Enter");
    await health.getByRole("button", { name: "Execute" }).waitFor();

    const analyzed = page.getByText("call.analyzed", { exact: true });
    await analyzed.click();
    expect(await analyzed.locator("..").innerText()).toContain("analysis");
    expect(await page.getByRole("heading", { name: "Live speech" }).isVisible()).toBe(true);

    await inspect(page, "/docs in the dark", { repeated: FOLDED });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("has examples that run as they are", async () => {
    const described = (await (await fetch(`${cluster.baseUrl}/openapi.json`)).json()) as Described;
    const sourceOf = (path: string, method: string, lang: string): string => {
      const samples = described.paths[path]?.[method]?.["x-codeSamples"] ?? [];
      const { source = "" } = samples.find((sample) => sample.lang === lang) ?? {};
      return source.replaceAll(sampleAddress, cluster.baseUrl);
    };
    const options = { cwd: directory.path, env: { ...process.env, PARLEY_API_KEY: cluster.apiKey } };
    const script = join(directory.path, "sample.mjs");
    writeFileSync(script, sourceOf("/v1/tts", "post", "TypeScript"));
    await run(process.execPath, [script], options);
    // An MP3 frame begins with eleven bits that are set, or an ID3 tag stands before it.
    const [first = 0, second = 0] = readFileSync(join(directory.path, "hello.mp3"));
    expect((first === 0xff && second >= 0xe0) || (first === 0x49 && second === 0x44)).toBe(true);
    const { stdout } = await run("sh", ["-c", sourceOf("/v1/usage", "get", "Shell")], options);
    expect(JSON.parse(stdout)).toMatchObject({ group_by: expect.any(Array) as unknown });
  });

  it("shows every request to readers without JavaScript", async () => {
    const { context, page } = await pages.open({ javaScriptEnabled: false });
    await page.goto(`${cluster.baseUrl}/docs`);
    expect(await page.getByRole("heading", { name: "/v1/tts/live" }).isVisible()).toBe(true);
    await context.close();
  });
});
