const SVG = "http://www.w3.org/2000/svg";

/** Outlines on a field of 24 by 24. */
const paths = {
  talk: "M4 5h16v11H9l-5 4z M8 9h8 M8 12h5",
  close: "M6 6l12 12 M18 6L6 18",
  microphone: "M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3z M5 11a7 7 0 0 0 14 0 M12 18v3",
  send: "M4 12h15 M13 6l6 6-6 6",
} as const;

/** Draws an icon that says nothing to a screen reader: the button around it has a name. */
export function drawIcon(name: keyof typeof paths): SVGSVGElement {
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", paths[name]);
  icon.append(path);
  return icon;
}
