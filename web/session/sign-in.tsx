import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useId, useState } from "react";
import { ApiFailure } from "../api/request.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { sessionKey, signIn } from "./session.js";

/** Takes a key, or the code that a link brought behind its `#`, and leads to Home. */
export function SignIn() {
  usePageTitle("Sign in");
  const [key, setKey] = useState("");
  const field = useId();
  const navigate = useNavigate();
  const { back } = useSearch({ from: "/sign-in" });
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: signIn,
    onSuccess: async (session) => {
      queries.setQueryData(sessionKey, session);
      await navigate({ href: back ?? "/", replace: true });
    },
  });
  useEffect(() => {
    const takeCode = (): void => {
      const code = window.location.hash.slice(1);
      if (code === "") return;
      // It is good once: going back to this address must not try it again.
      const { pathname, search } = window.location;
      window.history.replaceState(window.history.state, "", pathname + search);
      mutate({ code });
    };
    takeCode();
    // A link that is opened where this page is open already loads nothing.
    window.addEventListener("hashchange", takeCode);
    return () => window.removeEventListener("hashchange", takeCode);
  }, [mutate]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ api_key: key.trim() });
  };
  return (
    <main className="alone">
      <h1>Sign in to Parley</h1>
      {error === null ? null : <FailureNote doing={doingOf(error)} error={error} />}
      <form className="card" onSubmit={submit}>
        <div className="field">
          <label htmlFor={field}>API key</label>
          <input
            id={field}
            type="password"
            autoComplete="current-password"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        <button className="button" type="submit" disabled={isPending}>
          {isPending ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <p className="soft">
        <code>npm start</code> prints a key, and a link that signs in once. <code>bin/parley keys create</code> makes
        further keys.
      </p>
    </main>
  );
}

function doingOf(error: unknown): string {
  const isRefused = error instanceof ApiFailure && error.status === 401;
  return isRefused ? "This key or link is not good any more, or never was" : "You could not be signed in";
}
