import { generateApiKey } from "#common/api-key";
import type { Attack } from "../attack.js";
import { ask, repeatedly } from "../connection.js";

/** Each unknown key is a question to the control plane. */
export const randomKeys: Attack = {
  name: "tries keys at random",
  needsKey: false,
  async run(target, signal) {
    await repeatedly(40, signal, async (lane) => {
      // Every third has no checksum to see through: it looks like a key of the operator's own.
      const key = lane % 3 === 0 ? `own-${target.random()}` : generateApiKey();
      await ask(target, "/model", { headers: { authorization: `Bearer ${key}` } }, signal);
    });
  },
};
