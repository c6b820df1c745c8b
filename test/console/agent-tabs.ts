import { expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { openTab } from "./agent-pages.js";
import { agentsOf } from "./agents-api.js";
import { describeEndpoint } from "./endpoint.js";
import { describeBrowser } from "./pages.js";

/** The tabs of an agent beside its configuration, as Chromium shows them. */
export function describeAgentTabs(started: () => TestCluster): void {
  const pages = describeBrowser(started);
  const { ask, makeAgent, remove } = agentsOf(started);
  const endpointUrl = describeEndpoint();

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
    const fileInput = page.getByRole("dialog").locator("input[type=file]");
    const file = (name: string, bytes: Buffer) => ({ name, mimeType: "text/markdown", buffer: bytes });
    await fileInput.setInputFiles(file("picture.md", Buffer.from([0x89, 0x50, 0xff, 0x00])));
    const text = "# Hours\n\nWe open at nine.\n\n# Pets\n\nDogs are welcome.";
    await page.getByText("picture.md is no text in UTF-8.").waitFor();
    await fileInput.setInputFiles(file("house.md", Buffer.from(text)));
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("house.md");
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
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("Everything is saved.").waitFor();
    await page.getByText("Public", { exact: true }).click();
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
      `<script src="${started().baseUrl}/widget.js" defer></script>\n<parley-agent agent-id="${agentId}" position="top-left"></parley-agent>`,
    );
    expect(complaints).toEqual([]);
    await remove(agentId);
    await context.close();
  }, 120_000);
}
