/** Where the event loops' time goes while a cluster speaks. */
export interface ProfileScenario {
  kind: "profile";
  name: string;
  /** Live streams at once, each of which says one text after another. */
  streams: number;
  durationMs: number;
  workers: number;
}

export const profile: ProfileScenario = {
  kind: "profile",
  name: "profile-60-live-streams",
  streams: 60,
  durationMs: 15_000,
  workers: 2,
};
