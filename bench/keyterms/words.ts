/** Names of products, as a deployment would list them; no recording of the evaluation holds one. */
export const productNames: readonly string[] = [
  "Parley",
  "Kubernetes",
  "Grafana",
  "Postgres",
  "LiveKit",
  "Okta",
  "Nginx",
  "Terraform",
  "Datadog",
  "Snowflake",
  "Zapier",
  "Figma",
  "Vercel",
  "Supabase",
  "Mistral",
  "Twilio",
  "ClickHouse",
  "Jira",
  "Kafka",
  "Ubuntu",
];

/** What is said with each of them. */
export const sentencesWith = (name: string): string[] => [
  `Hello from ${name}.`,
  `We moved the whole company to ${name} last week.`,
  `Does ${name} work on my phone?`,
];

/** Near to names of the list, and none of them: what a list must not change. */
export const sentencesWithoutNames: readonly string[] = [
  "They sold barley and corn at the market.",
  "Partly because of the rain, nobody came.",
  "She bought a new table and four chairs.",
  "The coffee was cold when we sat down.",
  "Put the data on the desk, dog.",
  "A cabin near the river is for sale.",
  "Vertical lines are harder to draw.",
  "We had snow and flakes of ice all night.",
  "I live in a kitchen full of boxes.",
  "The mister will see you now.",
  "Do you know what the octopus eats?",
  "The party was over before midnight.",
];
