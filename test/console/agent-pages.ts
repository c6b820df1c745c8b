import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { agentsOf } from "./agents-api.js";
import { describeEndpoint } from "./endpoint.js";
import { describeBrowser, inspect } from "./pages.js";
import { showDeliveries } from "./shown-deliveries.js";

/** Opens a tab of an agent's page with the keyboard. */
export function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole("navigation", { name: "Of this agent" }).getByRole("link", { name }).press("Enter");
}

/** Every page of the section of agents, filled, as everybody should be able to use it. */
export function describeAgentPages(started: () => TestCluster): void {
  const pages = describeBrowser(started);
  const { ask, makeAgent, remove } = agentsOf(started);
  const endpointUrl = describeEndpoint();

  it.each(["light", "dark"] as const)("keep nobody out, narrow or wide, %s", async (colorScheme) => {
    const name = `Shop, ${colorScheme}`;
    const agentId = await makeAgent(name);
    await ask("POST", `/agents/${agentId}/publish`);
    const tool = { name: "Look up stock", url: endpointUrl(), arguments: [{ name: "lamp" }] };
    const { tool_id: toolId } = await ask("POST", "/tools", tool);
    await ask("PATCH", `/agents/${agentId}/config`, {
      prompt: { system_prompt: "You sell lamps.\nBe kind." },
      tools: { tool_ids: [toolId] },
    });
    const { context, page, complaints } = await pages.openSignedIn("/agents", { colorScheme });
    await showDeliveries(page, agentId);
    await page.getByRole("link", { name }).waitFor();
    await inspect(page, "agents");
    await page.getByRole("link", { name }).click();
    for (const noun of ["criterion", "data field", "webhook", "destination"])
      await page.getByRole("button", { name: `Add a ${noun}` }).click();
    await page.getByRole("button", { name: "Save the draft" }).click();
    await page.getByText("fields are not right yet.").waitFor();
    await inspect(page, "configuration");
    await page.getByRole("button", { name: "Discard" }).click();
    await openTab(page, "Versions");
    await page.getByText("2 fields changed:").waitFor();
    await inspect(page, "versions");
    await openTab(page, "Tools");
    await page.getByText("Attach Look up stock").waitFor();
    await inspect(page, "tools");
    await page.getByRole("link", { name: "Look up stock" }).click();
    await page.getByRole("button", { name: "Send a test request" }).click();
    await page.getByText("Headers of the answer").click();
    await inspect(page, "tool");
    await openTab(page, "Knowledge");
    await page.getByText("There is no source yet.").waitFor();
    await inspect(page, "knowledge");
    await openTab(page, "Webhooks");
    await page.getByRole("heading", { name: "call.ended Failed" }).waitFor();
    await page.getByRole("button", { name: "Show the body" }).first().click();
    await page.getByRole("region", { name: "Body, to the byte" }).waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("heading", { name: "call.ended On its way" }).waitFor();
    await inspect(page, "webhooks");
    await openTab(page, "Sharing");
    await page.getByLabel("Allowed origins").waitFor();
    await inspect(page, "sharing");
    await openTab(page, "Widget");
    await page.getByLabel("Place").waitFor();
    await inspect(page, "widget");
    await openTab(page, "Settings");
    await page.getByRole("heading", { name: "Archive or delete" }).waitFor();
    await inspect(page, "settings");
    expect(complaints).toEqual([]);
    await remove(agentId);
    await ask("DELETE", `/tools/${String(toolId)}`);
    await context.close();
  }, 120_000);
}
