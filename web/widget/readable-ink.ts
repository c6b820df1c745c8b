/** Black or white, whichever is read better on a colour as browsers compute it (`rgb(47, 111, 94)`). */
export function readableInk(computedColour: string): "#000" | "#fff" {
  const [red = 0, green = 0, blue = 0] = (computedColour.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  if (!computedColour.startsWith("rgb")) return "#fff";
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  // The contrast with black is (l + 0.05) / 0.05, that with white 1.05 / (l + 0.05) (WCAG 2 "contrast ratio").
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? "#000" : "#fff";
}

/** A channel of sRGB, 0 to 255, as a share of its light. */
function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
