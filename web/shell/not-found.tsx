import { Link } from "@tanstack/react-router";
import { usePageTitle } from "../parts/page-title.js";

/** What an address shows that leads nowhere. */
export function NotFound() {
  usePageTitle("No such page");
  return (
    <main className="alone">
      <h1>There is no such page</h1>
      <p>
        The address leads nowhere in the console. <Link to="/">Go to Home.</Link>
      </p>
    </main>
  );
}
