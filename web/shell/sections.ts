/** The sections that there are, in the order of the navigation. */
export const sections = [
  { to: "/", label: "Home" },
  { to: "/speak", label: "Speak" },
  { to: "/transcribe", label: "Transcribe" },
  { to: "/voices", label: "Voices" },
  { to: "/agents", label: "Agents" },
  { to: "/phone", label: "Phone" },
  { to: "/calls", label: "Calls" },
  { to: "/tests", label: "Tests" },
  { to: "/usage", label: "Usage" },
  { to: "/keys", label: "Keys" },
  { to: "/deliveries", label: "Deliveries" },
  { to: "/traces", label: "Traces" },
] as const;
