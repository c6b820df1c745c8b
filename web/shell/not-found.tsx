import { Link } from "@tanstack/react-router";

/** What an address shows that leads nowhere. */
export function NotFound() {
  return (
    <main className="alone">
      <h1>There is no such page</h1>
      <p>
        The address leads nowhere in the console. <Link to="/">Go to Home.</Link>
      </p>
    </main>
  );
}
