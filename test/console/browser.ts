import { beforeAll, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { describeBrowser, inspect, signInLink } from "./pages.js";

/** The pages as Chromium shows them, on a cluster that nobody has used yet. */
export function describePages(started: () => TestCluster): void {
  let cluster: TestCluster;
  beforeAll(() => {
    cluster = started();
  });
  const pages = describeBrowser(started);

  async function speak(): Promise<void> {
    const spoken = await fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "Twenty-six characters here", format: "wav" }),
    });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  }

  it("signs in by the link of the banner, once, and out", async () => {
    const { context, page, complaints } = await pages.open();
    const link = await signInLink(cluster);
    await page.goto(link);
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
    await page.goto(link);
    await page.getByRole("alert").getByText("not good any more").waitFor();
    await page
      .getByRole("alert")
      .getByText(/Request id [0-9a-f]{32}/)
      .waitFor();
    await context.close();
  }, 120_000);

  it("shows by itself what was used, in a chart and in a table", async () => {
    const { context, page, complaints } = await pages.open();
    await page.goto(await signInLink(cluster));
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
    const { context, page, complaints } = await pages.open({ colorScheme: "light" });
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
    const { context, page, complaints } = await pages.open({ colorScheme });
    await speak();
    await page.goto(`${cluster.baseUrl}/console`);
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await inspect(page, "sign-in");
    await page.goto(await signInLink(cluster));
    await page.getByText("All is well.").waitFor();
    await page.getByRole("img", { name: /^Requests of the last/ }).waitFor();
    for (const closed of await page.locator("summary").all()) await closed.click();
    await inspect(page, "home");
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);
}
