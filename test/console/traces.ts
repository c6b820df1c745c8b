import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { hasChdb } from "../analytics/chdb-present.js";
import { until } from "../harness/processes.js";
import type { TestCluster } from "../harness/cluster.js";
import { makeLimitedKey } from "./limited-key.js";
import { describeBrowser, inspect } from "./pages.js";
import { showDeliveries } from "./shown-deliveries.js";

/** What was done for requests and sent to webhooks, as the console shows it. */
export function describeTraces(started: () => TestCluster): void {
  const pages = describeBrowser(started);

  it.skipIf(!hasChdb())(
    "finds a request by what its program sent, and shows who worked on it",
    async () => {
      const { baseUrl, apiKey } = started();
      const traceparent = `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
      const authorization = `Bearer ${apiKey}`;
      const headers = { authorization, "content-type": "application/json", traceparent };
      const body = JSON.stringify({ text: "Who worked on this?", format: "wav" });
      const spoken = await fetch(`${baseUrl}/v1/tts`, { method: "POST", headers, body });
      expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
      const report = async (): Promise<string> =>
        await (await fetch(`${baseUrl}/v1/traces/${traceparent.split("-")[1]}`, { headers: { authorization } })).text();
      const names = ["HTTP POST /v1/tts", '"speak"', "schedule chunk", "speak chunk"];
      await until(async () => containsAll(await report(), names), { withinMs: 20_000, what: "the stored trace" });

      const { context, page, complaints } = await pages.openSignedIn("/traces");
      await page.getByLabel("Request id").fill("not an id");
      await page.keyboard.press("Enter");
      await page.getByText("A request id has 32 characters").waitFor();
      await page.getByLabel("Request id").fill(traceparent);
      await page.getByRole("button", { name: "Show the trace" }).press("Enter");
      await page.getByRole("row", { name: /^HTTP POST \/v1\/tts status 200 edge [\d.]+ ms [\d.,]+ ms$/ }).waitFor();
      await page
        .getByRole("row", { name: /^speak chunk .*characters \d+.* worker [\d.]+ ms [\d.,]+ ms$/ })
        .first()
        .waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await inspect(page, `trace, ${colorScheme}`);
      }
      expect(complaints).toEqual([]);
      await page.getByLabel("Request id").fill("f".repeat(32));
      await page.keyboard.press("Enter");
      await page.getByText("The team has no trace of this request.").waitFor();
      await context.close();
    },
    120_000,
  );

  it("leads from a failure to its trace", async () => {
    const cluster = started();
    const { context, page } = await pages.open();
    const data = { api_key: await makeLimitedKey(cluster, ["speech"]) };
    const signedIn = await context.request.post(`${cluster.baseUrl}/v1/console/session`, { data });
    expect(signedIn.status()).toBe(201);
    await page.goto(`${cluster.baseUrl}/console/deliveries`);
    await page.getByText("The deliveries cannot be read: This API key lacks the scope agents").waitFor();
    const link = page.getByRole("link", { name: /^[0-9a-f]{32}$/ });
    const requestId = await link.innerText();
    await link.click();
    await page.getByRole("heading", { name: "Trace" }).waitFor();
    expect(await page.getByLabel("Request id").inputValue()).toBe(requestId);
    await page.getByText("The trace cannot be read: This API key lacks the scope wallet").waitFor();
    await context.close();
  }, 120_000);

  it("shows what was sent to webhooks, and sends it again", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/deliveries");
    await page.getByText("Nothing was sent yet.").waitFor();
    await showDeliveries(page, "a1");
    await page.reload();
    await page.getByRole("heading", { name: "call.ended Failed" }).waitFor();
    await page.getByRole("button", { name: "Show the body" }).click();
    await page.getByRole("region", { name: "Body, to the byte" }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, `deliveries, ${colorScheme}`);
    }
    await page.getByRole("button", { name: "Send again" }).press("Enter");
    await page.getByRole("heading", { name: "call.ended On its way" }).waitFor();
    const asked = page.waitForRequest(/webhook-deliveries\?status=failed/);
    await page.getByLabel("Which").selectOption("Failed");
    await asked;
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);
}

const containsAll = (text: string, wanted: readonly string[]): boolean => wanted.every((part) => text.includes(part));
