/** `npm run test:unit` wants an answer soon: what repeats itself does so fewer times. `npm test` runs all. */
const isQuick = process.env["TEST_QUICK"] === "1";

/** How often a test repeats itself, or how large what it tries is: less in `npm run test:unit` than in `npm test`. */
export const howMany = (usually: number, quickly = Math.ceil(usually / 5)): number => (isQuick ? quickly : usually);
