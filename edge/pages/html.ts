import { createHash } from "node:crypto";

/** Text as it may stand in HTML, inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const style = `
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5c6470; --line: #dfe3e8; --page: #fcfcfd;
  --card: #ffffff; --code: #f3f5f7; --mark: #2f6f5e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa3ae; --line: #2c3138; --page: #14171b;
  --card: #1a1e23; --code: #22272e; --mark: #79c7ae; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.9rem; margin: 0 0 .25rem; letter-spacing: -.02em; }
h2 { margin: 2.75rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
a { color: var(--mark); }
section.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; margin: .9rem 0; }
code, pre { font: 13.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; margin: .75rem 0; }
pre code { background: none; padding: 0; }
.verb { display: inline-block; min-width: 4.2rem; font-weight: 650; color: var(--mark); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); border-top: 0; }
section.card { overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--soft); margin-top: .5rem; }
nav a { margin-right: 1rem; }
`;

/** How a content security policy names the one style sheet of our pages. */
export const pageStyleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/** A whole page. `body` and what else is in its head are HTML already. */
export function page(title: string, body: string, head = ""): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>${escapeHtml(title)}</title>${head}<style>${style}</style></head><body><main>${body}</main></body></html>`
  );
}
