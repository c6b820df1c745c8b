import { expect, it } from "vitest";
import { controlSubjects, type KeysReply, type KeysRequest, type Reply } from "#protocol/bus/control";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import type { TestCluster } from "../harness/cluster.js";
import { agentsOf } from "./agents-api.js";
import { describeBrowser } from "./pages.js";

/** The section of agents as Chromium shows it: making one, and editing its draft. */
export function describeAgents(started: () => TestCluster): void {
  const pages = describeBrowser(started);

  const { ask, makeAgent, remove } = agentsOf(started);

  it("makes an agent with the keyboard alone, and edits its draft", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/agents");
    await page.getByText("There is no agent yet.").waitFor();
    await page.getByRole("button", { name: "Create an agent" }).press("Enter");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("Fill this in.").waitFor();
    await page.keyboard.type("Front desk");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Front desk" }).waitFor();
    const agentId = new URL(page.url()).pathname.split("/").at(-1) ?? "";

    await page.getByLabel("Instructions").fill("You answer the phone of a hotel.");
    await page.getByLabel("How a call begins").selectOption("fixed");
    await page.getByText("Callers may interrupt it").click();
    await page.getByLabel("Longest call, seconds").fill("59");
    await page.getByRole("button", { name: "Add a criterion" }).click();
    await page.getByLabel("Name").fill("was_polite");
    await page.getByRole("button", { name: "Add a data field" }).click();
    await page.getByRole("group", { name: "Data to find" }).getByLabel("Name").fill("room");
    await page.getByLabel("Kind").selectOption("enum");
    await page.getByLabel("Values").fill("single\ndouble");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    const webhook = page.getByRole("group", { name: "After a call" });
    await webhook.getByLabel("Address").fill("http://10.0.0.1/calls");
    await webhook.getByLabel("Secret").fill("topsecret");

    await page.getByRole("button", { name: "Save the draft" }).click();
    await page.getByText("One field is not right yet.").waitFor();
    const longest = page.getByLabel("Longest call, seconds");
    await expect.poll(() => page.locator(":focus").getAttribute("id")).toBe(await longest.getAttribute("id"));
    expect(await page.getByText("At least 60.").count()).toBe(1);
    await longest.fill("600");
    // What only the server can know comes back to the field that it is about.
    await page.getByRole("button", { name: "Save the draft" }).click();
    await expect.poll(() => webhook.getByLabel("Address").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText("At least 60.").count()).toBe(0);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Stay" }).press("Enter");
    await webhook.getByLabel("Address").fill("https://93.184.216.34/calls");
    await page.getByRole("button", { name: "Save the draft" }).click();
    await page.getByText("Everything is saved.").waitFor();
    expect(await ask("GET", `/agents/${agentId}/config`)).toMatchObject({
      prompt: { system_prompt: "You answer the phone of a hotel.", first_message_mode: "fixed" },
      conversation: { interruptible: false, max_duration_seconds: 600, hangup_after_seconds: 60 },
      analysis: {
        criteria: [{ name: "was_polite", description: "" }],
        data_fields: [{ name: "room", type: "enum", enum_options: ["single", "double"] }],
      },
      webhooks: { post_call: [{ url: "https://93.184.216.34/calls", has_secret: true }] },
    });
    // A draft that is saved is left without a question.
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Archive or delete" }).waitFor();
    await page.getByLabel("Description").fill("Rooms and breakfast");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("link", { name: "Agents" }).first().click();
    await page.getByLabel("Search").fill("no such words");
    await page.getByText("No agent's name or description has this in it.").waitFor();
    await page.getByLabel("Search").fill("breakfast");
    await page.getByRole("link", { name: "Front desk" }).waitFor();
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);

  it("says to a key without the scope what it lacks", async () => {
    const { baseUrl, natsUrl } = started();
    const bus = await connectNats({ url: natsUrl, name: "test", log: createLogger("test", "fatal") });
    const request: KeysRequest = {
      action: "create",
      name: "a key",
      teamId: null,
      scopes: ["speech"],
      expiresInMs: null,
    };
    const within = { timeoutMs: 10_000, dependency: "Keys" };
    const made = await bus.request<Reply<KeysReply>>(controlSubjects.keys, request, within);
    await bus.close();
    const { context, page } = await pages.open();
    const data = { api_key: made.ok ? made.value.key : "" };
    expect((await context.request.post(`${baseUrl}/v1/console/session`, { data })).status()).toBe(201);
    await page.goto(`${baseUrl}/console/agents`);
    await page.getByText("Agents cannot be read: This API key lacks the scope agents").waitFor();
    await page.getByText(/Request id [0-9a-f]{32}/).waitFor();
    await context.close();
  }, 120_000);

  it("reads on in a list that has more than a page", async () => {
    const names = Array.from({ length: 31 }, (_, index) => `Many ${index}`);
    const ids = await Promise.all(names.map((name) => makeAgent(name)));
    // The newest, so that thirty of the others are there only once the search is answered.
    ids.push(await makeAgent("Other"));
    const { context, page, complaints } = await pages.openSignedIn("/agents");
    await page.getByLabel("Search").fill("Many");
    const links = page.getByRole("link", { name: /^Many / });
    await expect.poll(() => links.count()).toBe(30);
    await page.getByRole("button", { name: "Show more" }).press("Enter");
    await expect.poll(() => links.count()).toBe(31);
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await Promise.all(ids.map(remove));
    await context.close();
  }, 120_000);
}
