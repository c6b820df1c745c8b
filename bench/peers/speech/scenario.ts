/** How soon long texts are heard, and how much is spoken on the whole machine, beside other programs. */
export interface SpeechPeersScenario {
  kind: "speech-peers";
  name: string;
  /** Texts whose first audio is measured, by what they are called. */
  texts: Readonly<Record<string, string>>;
  /** Times that each is spoken by each way in one round. */
  perRound: number;
  /** Sentences that each way speaks as fast as it can in one round. */
  sentences: number;
  /** Processes of each way that speak at once: one for each core. */
  processes: number;
  rounds: number;
}

export const speechPeers: SpeechPeersScenario = {
  kind: "speech-peers",
  name: "speech-peers",
  texts: {
    "80 characters": "The ferry leaves at a quarter past eleven, and it will not wait for late guests.",
    "400 characters":
      "The ferry leaves at a quarter past eleven, and it will not wait for late guests. If you walk along the harbour wall you can see the lights of the far shore, " +
      "and behind them the hills where my grandmother had her bees until the winter of the greatest storm. Bring a warm coat, a little food and something to read, " +
      "because the crossing takes an hour and a half, and the wind is cold even in the summer.",
  },
  perRound: 10,
  sentences: 40,
  processes: 2,
  rounds: 6,
};
