/** Whether this is `npm run test:thorough`. */
export const isThorough = process.env["TEST_THOROUGH"] === "1";

/** How often a test repeats itself: less in `npm test` than in `npm run test:thorough`. */
export const howMany = (usually: number, thoroughly: number): number => (isThorough ? thoroughly : usually);
