import { agentCreate, agentEntity, agentList, agentListQuery, agentUpdate, widgetConfig } from "#protocol/agents/agent";
import { configEntity } from "#protocol/agents/config";
import { configPatch } from "#protocol/agents/config-patch";
import {
  availablePhoneList,
  availablePhoneQuery,
  phoneCreate,
  phoneEntity,
  phoneList,
  phoneListQuery,
  phoneUpdate,
  sipConfig,
} from "#protocol/agents/phone";
import { testCreate, testEntity, testList, testListQuery, testRunRequest, testToolList, testUpdate } from "#protocol/agents/tests";
import { publishRequest, versionDetail, versionList, versionSummary } from "#protocol/agents/version";
import type { ErrorCode } from "#protocol/errors";
import { pageQuery } from "#protocol/paging";
import { authentication, json, jsonBody, type Operation } from "./operation.js";

const bodyErrors: ErrorCode[] = ["malformed_json", "payload_too_large", "unsupported_media_type", "validation"];
const pagingErrors: ErrorCode[] = ["conflicting_paging", "invalid_cursor", "page_out_of_range", "validation"];
const paging = "Newest first. Follow next_cursor, or count pages with page; page always gives a total, a cursor with include_total.";
const nothing: Operation["success"] = { status: 204, description: "Done.", mediaTypes: [] };

const agents: Operation[] = [
  {
    method: "GET", path: "/v1/agent/agents", tag: "Agents", needsKey: true,
    summary: "List agents",
    description: `Those of the caller's team; search looks into names and descriptions. ${paging}`,
    query: agentListQuery,
    success: { status: 200, description: "One page of agents.", mediaTypes: json, schema: agentList },
    errors: [...authentication, ...pagingErrors],
    curl: "-G -d search=support -d publication_state=live",
  },
  {
    method: "POST", path: "/v1/agent/agents", tag: "Agents", needsKey: true,
    summary: "Create an agent",
    description: "It begins as a draft with the default configuration, changed by config. Needs beta access.",
    body: { schema: agentCreate, mediaTypes: json },
    success: { status: 201, description: "The new agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, ...bodyErrors, "private_beta"],
    curl: `${jsonBody} -d '{"name": "Support", "config": {"prompt": {"system_prompt": "You help."}}}'`,
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}", tag: "Agents", needsKey: true,
    summary: "Show an agent",
    description: "Another team's agent is answered as one that does not exist.",
    success: { status: 200, description: "The agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH", path: "/v1/agent/agents/{agent_id}", tag: "Agents", needsKey: true,
    summary: "Change an agent",
    description: "Fields that are absent keep their value. How it talks is its configuration.",
    body: { schema: agentUpdate, mediaTypes: json },
    success: { status: 200, description: "The agent.", mediaTypes: json, schema: agentEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"public_enabled": true, "allowed_origins": ["https://example.com"]}'`,
  },
  {
    method: "DELETE", path: "/v1/agent/agents/{agent_id}", tag: "Agents", needsKey: true,
    summary: "Delete an agent",
    description: "With its configuration and versions.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/widget", tag: "Agents", needsKey: false,
    summary: "Show what the embedded widget needs",
    description: "For public agents, without a key; Origin must be on the agent's list. Every page may read the answer.",
    headers: [{ name: "origin", description: "The page that asks; browsers send it." }],
    success: { status: 200, description: "The widget's configuration.", mediaTypes: json, schema: widgetConfig },
    errors: ["agent_not_public", "origin_required", "origin_not_allowed", "not_found", "dependency_unavailable"],
    curl: `-H "Origin: https://example.com"`,
  },
];

const configurations: Operation[] = [
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/config", tag: "Agents", needsKey: true,
    summary: "Show an agent's draft configuration",
    description: "config_hash equals the live version's while nothing is unpublished. Of secrets it shows whether there is one.",
    success: { status: 200, description: "The draft.", mediaTypes: json, schema: configEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH", path: "/v1/agent/agents/{agent_id}/config", tag: "Agents", needsKey: true,
    summary: "Change an agent's draft configuration",
    description: "Objects are merged, lists replaced as a whole, empty text clears. Null is refused but for webhooks and llm.custom, which it "
      + "removes. A webhook without secret keeps the one stored for its url, an empty secret removes it; has_secret is ignored. llm.tier "
      + "removes llm.custom; while there is llm.custom, tier is what removing it returns to. Sessions see the change when it is published.",
    body: { schema: configPatch, mediaTypes: json },
    success: { status: 200, description: "The draft.", mediaTypes: json, schema: configEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"webhooks": {"post_call": [{"url": "https://example.com/calls", "secret": "..."}]}}'`,
  },
  {
    method: "POST", path: "/v1/agent/agents/{agent_id}/publish", tag: "Agents", needsKey: true,
    summary: "Publish the draft",
    description: "Freezes it, with its tools and knowledge, as the next version. A draft that equals the live version gives that one. "
      + "The body may be absent.",
    body: { schema: publishRequest, mediaTypes: json, optional: true },
    success: { status: 200, description: "The version.", mediaTypes: json, schema: versionSummary },
    errors: [...authentication, ...bodyErrors, "not_found", "conflict"],
    curl: `${jsonBody} -d '{"version_title": "Kinder greeting"}'`,
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/versions", tag: "Agents", needsKey: true,
    summary: "List published versions",
    description: paging,
    query: pageQuery,
    success: { status: 200, description: "One page of versions.", mediaTypes: json, schema: versionList },
    errors: [...authentication, ...pagingErrors, "not_found"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/versions/{version_number}", tag: "Agents", needsKey: true,
    summary: "Show a published version",
    description: "With the configuration that it froze.",
    success: { status: 200, description: "The version.", mediaTypes: json, schema: versionDetail },
    errors: [...authentication, "not_found"],
    curl: "",
  },
];

const tests: Operation[] = [
  {
    method: "GET", path: "/v1/agent/tests", tag: "Agents", needsKey: true,
    summary: "List tests",
    description: `Without what they do. ${paging}`,
    query: testListQuery,
    success: { status: 200, description: "One page of tests.", mediaTypes: json, schema: testList },
    errors: [...authentication, ...pagingErrors, "not_found"],
    curl: "",
  },
  {
    method: "POST", path: "/v1/agent/tests", tag: "Agents", needsKey: true,
    summary: "Create a test",
    description: "What it needs depends on test_type. A test that was read can be sent as it is. Needs beta access.",
    body: { schema: testCreate, mediaTypes: json },
    success: { status: 201, description: "The new test.", mediaTypes: json, schema: testEntity },
    errors: [...authentication, ...bodyErrors, "private_beta"],
    curl: `${jsonBody} -d '{"name": "Greets", "test_type": "next_reply", "conversation": [{"text": "Hi"}], "expectation": "The agent greets."}'`,
  },
  {
    method: "GET", path: "/v1/agent/tests/{test_id}", tag: "Agents", needsKey: true,
    summary: "Show a test",
    description: "With what it does and the agents that it is attached to.",
    success: { status: 200, description: "The test.", mediaTypes: json, schema: testEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH", path: "/v1/agent/tests/{test_id}", tag: "Agents", needsKey: true,
    summary: "Change a test",
    description: "Fields that are absent keep their value; simulation is merged. The type stays.",
    body: { schema: testUpdate, mediaTypes: json },
    success: { status: 200, description: "The test.", mediaTypes: json, schema: testEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"expectation": "The agent greets by name."}'`,
  },
  {
    method: "DELETE", path: "/v1/agent/tests/{test_id}", tag: "Agents", needsKey: true,
    summary: "Delete a test",
    description: "It is detached from every agent.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PUT", path: "/v1/agent/agents/{agent_id}/tests/{test_id}", tag: "Agents", needsKey: true,
    summary: "Attach a test to an agent",
    description: "Attached already, it stays so.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "DELETE", path: "/v1/agent/agents/{agent_id}/tests/{test_id}", tag: "Agents", needsKey: true,
    summary: "Detach a test from an agent",
    description: "The test itself stays.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/test-tools", tag: "Agents", needsKey: true,
    summary: "List what an agent's tests may name",
    description: "The tools of its draft.",
    success: { status: 200, description: "The tools.", mediaTypes: json, schema: testToolList },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST", path: "/v1/agent/agents/{agent_id}/tests/run", tag: "Agents", needsKey: true,
    summary: "Run an agent's tests",
    description: "Not possible yet: it needs a conversation runtime, and answers 503 until there is one.",
    body: { schema: testRunRequest, mediaTypes: json, optional: true },
    success: { status: 202, description: "Never answered yet.", mediaTypes: [] },
    errors: [...authentication, ...bodyErrors, "not_found", "tests_cannot_run"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/agents/{agent_id}/test-batches/{batch_id}", tag: "Agents", needsKey: true,
    summary: "Show a batch of test runs",
    description: "Tests cannot be run yet, so there are no batches: answers 404 until they can.",
    success: { status: 200, description: "Never answered yet.", mediaTypes: [] },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/test-runs", tag: "Agents", needsKey: true,
    summary: "List test runs",
    description: "Tests cannot be run yet: answers 503 until they can.",
    success: { status: 200, description: "Never answered yet.", mediaTypes: [] },
    errors: [...authentication, "tests_cannot_run"],
    curl: "",
  },
  {
    method: "GET", path: "/v1/agent/test-runs/{run_id}", tag: "Agents", needsKey: true,
    summary: "Show a test run",
    description: "Tests cannot be run yet: answers 503 until they can.",
    success: { status: 200, description: "Never answered yet.", mediaTypes: [] },
    errors: [...authentication, "tests_cannot_run"],
    curl: "",
  },
];

const phoneNumbers: Operation[] = [
  {
    method: "GET", path: "/v1/agent/available-phone-numbers", tag: "Agents", needsKey: true,
    summary: "Search numbers to buy",
    description: "Answers 502 while no provider is configured.",
    query: availablePhoneQuery,
    success: { status: 200, description: "Numbers of the provider's inventory.", mediaTypes: json, schema: availablePhoneList },
    errors: [...authentication, "unsupported_numbers", "validation", "phone_provider_missing"],
    curl: "-G -d area_code=415",
  },
  {
    method: "GET", path: "/v1/agent/phone-numbers", tag: "Agents", needsKey: true,
    summary: "List phone numbers",
    description: paging,
    query: phoneListQuery,
    success: { status: 200, description: "One page of numbers.", mediaTypes: json, schema: phoneList },
    errors: [...authentication, ...pagingErrors, "not_found"],
    curl: "",
  },
  {
    method: "POST", path: "/v1/agent/phone-numbers", tag: "Agents", needsKey: true,
    summary: "Buy a phone number, or import one",
    description: "Answers 502 while no provider is configured; the number stays in the list with status error and can be released.",
    body: { schema: phoneCreate, mediaTypes: json },
    success: { status: 201, description: "The number.", mediaTypes: json, schema: phoneEntity },
    errors: [
      ...authentication, ...bodyErrors,
      "out_of_credit", "private_beta", "phone_number_limit", "not_found", "phone_number_taken", "phone_provider_missing",
    ],
    curl: `${jsonBody} -d '{"provider": "sip", "phone_number": "+14155550123", "inbound_allowed_addresses": ["203.0.113.0/24"]}'`,
  },
  {
    method: "GET", path: "/v1/agent/phone-numbers/{phone_number_id}", tag: "Agents", needsKey: true,
    summary: "Show a phone number",
    description: "Passwords of a trunk are never shown.",
    success: { status: 200, description: "The number.", mediaTypes: json, schema: phoneEntity },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "PATCH", path: "/v1/agent/phone-numbers/{phone_number_id}", tag: "Agents", needsKey: true,
    summary: "Label a phone number, or give it to another agent",
    description: "agent_id null unbinds it; calls then ring busy.",
    body: { schema: phoneUpdate, mediaTypes: json },
    success: { status: 200, description: "The number.", mediaTypes: json, schema: phoneEntity },
    errors: [...authentication, ...bodyErrors, "not_found"],
    curl: `${jsonBody} -d '{"agent_id": null}'`,
  },
  {
    method: "DELETE", path: "/v1/agent/phone-numbers/{phone_number_id}", tag: "Agents", needsKey: true,
    summary: "Release a phone number",
    description: "One that a provider holds stays until the provider has taken it back.",
    success: nothing,
    errors: [...authentication, "not_found", "phone_provider_missing"],
    curl: "",
  },
  {
    method: "PUT", path: "/v1/agent/phone-numbers/{phone_number_id}/sip-config", tag: "Agents", needsKey: true,
    summary: "Replace an imported number's trunk",
    description: "An empty password keeps the stored one. Answers 502 while no SIP gateway is configured.",
    body: { schema: sipConfig, mediaTypes: json },
    success: { status: 200, description: "The number.", mediaTypes: json, schema: phoneEntity },
    errors: [...authentication, ...bodyErrors, "not_found", "phone_provider_missing"],
    curl: `${jsonBody} -d '{"inbound_allowed_addresses": ["203.0.113.0/24"]}'`,
  },
];

/** Agents with their configurations, versions and tests, and phone numbers. */
export const agentOperations: readonly Operation[] = [...agents, ...configurations, ...tests, ...phoneNumbers];
