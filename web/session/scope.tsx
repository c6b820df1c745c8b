import type { ReactNode } from "react";
import { useSession } from "./session.js";

/** What a key may be allowed, as its scopes name it. */
type Scope = "speech" | "transcription" | "voices";

/** Whether the key of the session has a scope. */
export function useScope(scope: Scope): boolean {
  const { data } = useSession();
  return data?.key.scopes.some((own) => own === "*" || own === scope) === true;
}

/** A page for keys with a scope; others read why it is not for them. */
export function ScopeGate({ scope, doing, children }: { scope: Scope; doing: string; children: ReactNode }) {
  if (useScope(scope)) return children;
  return (
    <div className="note warn">
      <p>
        The key that you are signed in with may not {doing}: it lacks the scope <code>{scope}</code>. Sign in with
        another key.
      </p>
    </div>
  );
}
