/** What is written for words at a place, and how many of them it takes. */
export interface Written {
  text: string;
  count: number;
}
