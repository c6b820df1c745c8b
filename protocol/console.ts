import { z } from "zod";

/** Body of `POST /v1/console/session`: an API key, or the code of a sign-in link. */
export const signInRequest = z.union([
  z.object({ api_key: z.string().min(1).max(512) }),
  z.object({ code: z.string().min(1).max(128) }),
]);

/** Who is signed in: answer of `POST` and `GET /v1/console/session`. */
export const consoleSession = z.object({
  key: z.object({
    id: z.string(),
    name: z.string(),
    /** First characters, enough to recognise it. */
    prefix: z.string(),
    scopes: z.array(z.string()),
  }),
  team: z.object({ id: z.string(), name: z.string() }),
  /** When the session ends; null where the key itself asks. */
  expires_at: z.iso.datetime().nullable(),
});
export type ConsoleSession = z.infer<typeof consoleSession>;

/** Answer of `POST /v1/console/sign-in-codes`. */
export const signInCode = z.object({
  code: z.string(),
  /** The page that takes the code, behind a `#`: no server sees it and no log has it. */
  path: z.string(),
  expires_at: z.iso.datetime(),
});
export type SignInCode = z.infer<typeof signInCode>;
