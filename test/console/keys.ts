import { beforeAll, expect, it } from "vitest";
import type { UsageReport } from "#protocol/usage";
import type { TestCluster } from "../harness/cluster.js";
import { describeBrowser, inspect } from "./pages.js";

/** Keys and use as the console shows them. */
export function describeKeys(started: () => TestCluster): void {
  let cluster: TestCluster;
  beforeAll(() => {
    cluster = started();
  });
  const pages = describeBrowser(started);
  const statusOf = async (key: string, path: string): Promise<number> =>
    (await fetch(`${cluster.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;

  it("makes a key that covers what was chosen, shows it once, and revokes it", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/keys");
    await page.getByRole("row", { name: /^development key .* everything good/ }).waitFor();
    await page.getByLabel("Name").fill("Website");
    await page.getByText("Covers what your own key covers").click();
    await page.getByText("Wallet: credit and use").click();
    await page.getByLabel("Good for so many days").fill("30");
    await page.getByRole("button", { name: "Make a key" }).click();
    const key = (await page.getByRole("region", { name: "The new key" }).innerText()).trim();
    expect([await statusOf(key, "/v1/usage"), await statusOf(key, "/v1/keys")]).toEqual([200, 403]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, `keys, ${colorScheme}`);
    }
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("row", { name: /^Website .* wallet good until/ }).waitFor();
    await page.getByRole("button", { name: "Revoke Website" }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByRole("row", { name: /^Website .* wallet revoked/ }).waitFor();
    await expect.poll(() => statusOf(key, "/v1/usage")).toBe(401);
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it("shows what is left, and what was used by which key", async () => {
    const spoken = await fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "One more sentence.", format: "wav" }),
    });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    const used = async (): Promise<number> => {
      const answer = await fetch(`${cluster.baseUrl}/v1/usage`, {
        headers: { authorization: `Bearer ${cluster.apiKey}` },
      });
      return ((await answer.json()) as UsageReport).data[0]?.requests ?? 0;
    };
    await expect.poll(used).toBeGreaterThan(0);
    const { context, page, complaints } = await pages.openSignedIn("/usage");
    await page.getByText("Given so far").waitFor();
    await page.getByRole("row", { name: /^\d{4}-\d\d-\d\d [1-9]/ }).waitFor();
    await page.getByLabel("By").selectOption("Key");
    await page.getByRole("row", { name: /^development key [1-9]/ }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, `usage, ${colorScheme}`);
    }
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);
}
