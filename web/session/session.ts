import { useQuery } from "@tanstack/react-query";
import type { ConsoleSession } from "#protocol/console";
import { ask } from "../api/request.js";

const SESSION_PATH = "/v1/console/session";

/** Where what is known of the session is stored in the page. */
export const sessionKey = ["session"] as const;

/** Who is signed in; fails with 401 where nobody is. */
export const useSession = () =>
  useQuery({ queryKey: sessionKey, queryFn: () => ask<ConsoleSession>("GET", SESSION_PATH), staleTime: 60_000 });

/** Exchanges a key, or the code of a link, for a session. */
export const signIn = (shown: { api_key: string } | { code: string }): Promise<ConsoleSession> =>
  ask<ConsoleSession>("POST", SESSION_PATH, shown);

/** Ends the session. */
export const signOut = (): Promise<void> => ask<void>("DELETE", SESSION_PATH);
