import { Link, Outlet } from "@tanstack/react-router";
import { sections } from "./sections.js";
import { ThemeSwitch } from "./theme-switch.js";

/** What stands around every page: the way to the sections, and the choice of colours. */
export function Shell() {
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
        </div>
      </header>
      <main className="content" id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}
