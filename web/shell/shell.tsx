import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ConsoleSession } from "#protocol/console";
import { ApiFailure } from "../api/request.js";
import { sessionKey, signOut, useSession } from "../session/session.js";
import { FailureNote } from "./failure-note.js";
import { sections } from "./sections.js";
import { ThemeSwitch } from "./theme-switch.js";

/** What stands around every page of somebody who is signed in; leads others to the sign-in. */
export function Shell() {
  const { data: session, error } = useSession();
  if (error instanceof ApiFailure && error.status === 401) return <ToSignIn />;
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          Parley
        </Link>
        <nav className="sections" aria-label="Sections">
          {sections.map(({ to, label }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === "/" }}>
              {label}
            </Link>
          ))}
          <a href="/docs">Interface</a>
        </nav>
        <div className="account">
          <ThemeSwitch />
          {session === undefined ? null : <Account session={session} />}
        </div>
      </header>
      <main className="content" id="content" tabIndex={-1}>
        {error === null ? null : <FailureNote doing="Who is signed in cannot be found out" error={error} />}
        {session === undefined ? null : <Outlet />}
      </main>
    </>
  );
}

/** Leads to the sign-in, and from there back to where one is. */
function ToSignIn() {
  // As it is before the way there begins; whoever follows the location would set out again and again.
  const { latestLocation } = useRouter();
  const [href] = useState(latestLocation.href);
  return <Navigate to="/sign-in" search={href === "/" ? {} : { back: href }} replace />;
}

function Account({ session: { key, team } }: { session: ConsoleSession }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await queries.resetQueries({ queryKey: sessionKey });
      // What was shown belongs to whoever was signed in.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    },
  });
  return (
    <>
      <span className="soft">
        {team.name}, {key.name}
      </span>
      <Button className="button quiet" isDisabled={isPending} onPress={() => mutate()}>
        Sign out
      </Button>
      {error === null ? null : <FailureNote doing="You are still signed in" error={error} />}
    </>
  );
}
