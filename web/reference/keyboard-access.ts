/**
 * Keeps what Swagger UI writes open to people with a keyboard or a screen reader: lists of choices get the name of their
 * parameter, and answers can be scrolled with the arrow keys. Its components take neither from outside.
 */
export function keepAccessible(page: Element): void {
  mend(page);
  new MutationObserver(() => mend(page)).observe(page, { childList: true, subtree: true });
}

function mend(page: Element): void {
  for (const select of page.querySelectorAll("select:not([aria-label])"))
    select.setAttribute("aria-label", select.closest("tr")?.dataset["paramName"] ?? "Choice");
  for (const answer of page.querySelectorAll("pre.microlight:not([tabindex])")) answer.setAttribute("tabindex", "0");
}
