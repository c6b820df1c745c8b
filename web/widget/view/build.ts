/** Makes an element with attributes and children. */
export function build<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets a text only where it is another one: a screen reader says again what is set again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
