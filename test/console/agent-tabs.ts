import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { agentsOf } from "./agents-api.js";
import { describeBrowser, inspect } from "./pages.js";
import { showDeliveries } from "./shown-deliveries.js";

/** The tabs of an agent beside its configuration, as Chromium shows them. */
export function describeAgentTabs(started: () => TestCluster): void {
  const pages = describeBrowser(started);
  const { ask, remove } = agentsOf(started);
  /** Says what it was sent. */
  let endpoint: Server;
  beforeAll(async () => {
    endpoint = createServer((request, response) => {
      void text(request).then((body) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ stock: 3, asked: body, by: request.headers["authorization"] }));
      });
    });
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => endpoint?.close());
  const endpointUrl = (): string => `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/stock`;

  const makeAgent = async (name: string): Promise<string> => {
    const config = { prompt: { system_prompt: "You sell lamps.\nBe short.\nNever haggle." } };
    return String((await ask("POST", "/agents", { name, config }))["agent_id"]);
  };
  const openTab = (page: Page, name: string): Promise<void> =>
    page.getByRole("navigation", { name: "Of this agent" }).getByRole("link", { name }).press("Enter");

  it("shows what publishing changes, publishes it, and brings an earlier version back", async () => {
    const agentId = await makeAgent("Shop");
    await ask("POST", `/agents/${agentId}/publish`, { version_title: "Opening" });
    const { context, page, complaints } = await pages.openSignedIn(`/agents/${agentId}`);
    await page.getByLabel("Instructions").fill("You sell lamps.\nBe kind.\nNever haggle.");
    await page.getByLabel("When it answers").selectOption("eager");
    await page.getByRole("button", { name: "Save the draft" }).click();
    await page.getByText("Everything is saved.").waitFor();
    await openTab(page, "Versions");
    await page.getByText("From version 1 to the draft, 2 fields changed:").waitFor();
    expect(await page.locator("del").allTextContents()).toEqual(["Be short.", "Balanced, after about 550 ms"]);
    expect(await page.locator("ins").allTextContents()).toEqual(["Be kind.", "Eager, after about 300 ms"]);
    await page.getByLabel("Title of the version").fill("Kinder");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("The draft is what is published, version 2.").waitFor();
    await page.getByRole("heading", { name: "Version 2: Kinder" }).waitFor();
    await page.getByRole("button", { name: "Compare version 1" }).click();
    await page.getByText("From version 1 to the draft, 2 fields changed:").waitFor();
    await page.getByRole("button", { name: "Restore version 1" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).press("Enter");
    await page.getByText("From version 2 to the draft, 2 fields changed:").waitFor();
    expect(await ask("GET", `/agents/${agentId}/config`)).toMatchObject({
      prompt: { system_prompt: "You sell lamps.\nBe short.\nNever haggle." },
      conversation: { eagerness: "balanced" },
    });
    await openTab(page, "Configuration");
    await expect.poll(() => page.getByLabel("Instructions").inputValue()).toContain("Be short.");
    expect(complaints).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);

  it("makes a tool, tries it at its endpoint, attaches it and lets it go", async () => {
    const agentId = await makeAgent("Shop");
    const { context, page, complaints } = await pages.openSignedIn(`/agents/${agentId}/tools`);
    await page.getByText("There is no tool yet.").waitFor();
    await page.getByRole("link", { name: "Create a tool" }).click();
    await page.getByLabel("Name").fill("Look up stock");
    await page.getByRole("button", { name: "Save the tool" }).click();
    // A webhook tool has an address: the schema says so before anything is sent.
    await page.getByText("One field is not right yet.").waitFor();
    await page.getByLabel("Address").fill(endpointUrl());
    await page.getByLabel("Body", { exact: true }).fill('{"lamp": "{{lamp}}"}');
    await page.getByRole("button", { name: "Add a header" }).click();
    await page.getByLabel("Kind", { exact: true }).selectOption("authorization_bearer");
    await page.getByLabel("Value").fill("Bearer s3cret");
    await page.getByRole("button", { name: "Save the tool" }).click();
    // The body names an argument that is not declared, which only the server finds.
    await page.getByText("A placeholder names neither a declared argument nor a system variable").waitFor();
    await page.getByRole("button", { name: "Add an argument" }).click();
    await page.getByLabel("Argument", { exact: true }).fill("lamp");
    await page.getByRole("button", { name: "Save the tool" }).click();
    await page.getByRole("heading", { level: 2, name: "Look up stock" }).waitFor();
    await page.getByText("One is stored. Empty keeps it.").waitFor();
    await page.getByLabel("lamp", { exact: true }).fill("Desk 7");
    await page.getByRole("button", { name: "Send a test request" }).click();
    await page.getByText(/Status 200 after \d+ ms\./).waitFor();
    const answer = JSON.parse(await page.getByRole("region", { name: "Body of the answer" }).innerText()) as unknown;
    expect(answer).toEqual({ stock: 3, asked: '{"lamp": "Desk 7"}', by: "Bearer s3cret" });
    await openTab(page, "Tools");
    await page.getByText("Attach Look up stock").click();
    await page.getByText(/Used by one agent\./).waitFor();
    expect(await ask("GET", `/agents/${agentId}/config`)).toMatchObject({ tools: { tool_ids: [expect.any(String)] } });
    await page.getByRole("link", { name: "Look up stock" }).click();
    await page.getByRole("button", { name: "Delete this tool" }).click();
    await page.getByRole("button", { name: "Delete the tool" }).click();
    await page.getByText("Tool is attached to 1 agent(s)").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await openTab(page, "Tools");
    await page.getByText("Attach Look up stock").click();
    await page.getByText(/Used by no agent\./).waitFor();
    await page.getByRole("link", { name: "Look up stock" }).click();
    await page.getByRole("button", { name: "Delete this tool" }).click();
    await page.getByRole("button", { name: "Delete the tool" }).click();
    await page.getByText("There is no tool yet.").waitFor();
    expect(complaints.filter((complaint) => !/40[49]|422/.test(complaint))).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);

  it("adds knowledge, and shows what an agent would find in it", async () => {
    const agentId = await makeAgent("Shop");
    const { context, page, complaints } = await pages.openSignedIn(`/agents/${agentId}/knowledge`);
    await page.getByRole("button", { name: "Add a source" }).click();
    await page.getByLabel("Text").fill("# Hours\n\nWe open at nine.\n\n# Pets\n\nDogs are welcome.");
    await page.getByLabel("Name").fill("House rules");
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await page.getByText("Attach House rules").click();
    await page.getByLabel("What a caller says").fill("Are dogs welcome?");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "House rules: Pets" }).waitFor();
    expect(await page.getByRole("heading", { name: "House rules: Hours" }).count()).toBe(0);
    await page.getByText("This agent does not use knowledge").waitFor();
    await page.getByText("Attach House rules").click();
    await page.getByLabel("What a caller says").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete House rules" }).click();
    await page.getByRole("button", { name: "Delete the source" }).click();
    await page.getByText("There is no source yet.").waitFor();
    expect(complaints).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);

  it("shares an agent with pages of an origin, and gives the lines for them", async () => {
    const agentId = await makeAgent("Shop");
    const { context, page, complaints } = await pages.openSignedIn(`/agents/${agentId}/sharing`);
    await page.getByText("Public", { exact: true }).click();
    await page.getByLabel("Allowed origins").fill("https://shop.example\nshop");
    await page.getByRole("button", { name: "Save the sharing" }).click();
    await page.getByText("Input should be an origin such as https://example.com.").waitFor();
    await page.getByLabel("Allowed origins").fill("https://SHOP.example/");
    await page.getByRole("button", { name: "Save the sharing" }).click();
    await page.getByText("Everything is saved.").waitFor();
    expect(await ask("GET", `/agents/${agentId}`)).toMatchObject({
      public_enabled: true,
      allowed_origins: ["https://shop.example"],
    });
    await openTab(page, "Widget");
    await page.getByText("The agent was never published.").waitFor();
    await page.getByLabel("Place").selectOption("top-left");
    expect(await page.getByRole("region", { name: "Lines for your page" }).innerText()).toBe(
      `<script src="${started().baseUrl}/widget.js" async></script>\n<parley-agent agent-id="${agentId}" position="top-left"></parley-agent>`,
    );
    expect(complaints).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);

  it.each(["light", "dark"] as const)("keeps nobody out of any tab, narrow or wide, %s", async (colorScheme) => {
    const agentId = await makeAgent("Shop");
    await ask("POST", `/agents/${agentId}/publish`);
    const { tool_id: toolId } = await ask("POST", "/tools", {
      name: "Look up stock",
      url: endpointUrl(),
      arguments: [{ name: "lamp" }],
    });
    await ask("PATCH", `/agents/${agentId}/config`, {
      prompt: { system_prompt: "You sell lamps.\nBe kind." },
      tools: { tool_ids: [toolId] },
    });
    const { context, page, complaints } = await pages.openSignedIn(`/agents/${agentId}/versions`, { colorScheme });
    await showDeliveries(page, agentId);
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
    expect(complaints).toEqual([]);
    await remove(agentId);
    await ask("DELETE", `/tools/${String(toolId)}`);
    await context.close();
  }, 120_000);
}
