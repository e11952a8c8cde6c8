// Light or dark, as the notebook is.

/**
 * Keeps the colour scheme of an element that of the page behind it. Notebooks say it in different ways (a class, an attribute, a stylesheet), so the
 * painted background is looked at.
 */
export function followTheme(element, signal) {
  const apply = () => {
    const background = backgroundOf(element.parentElement);
    const scheme = background === null ? "light dark" : isDark(background) ? "dark" : "light";
    if (element.style.colorScheme !== scheme) element.style.colorScheme = scheme;
  };
  // Style sheets of themes arrive after the attribute that names them. Plots do not see a change of colours while they are hidden, as all are during that
  // time in JupyterLab, and those that are scrolled away also later.
  let later;
  const changed = () => {
    clearTimeout(later);
    later = setTimeout(() => (element.checkVisibility({ contentVisibilityAuto: true }) ? apply() : changed()), 200);
  };
  const observer = new MutationObserver(changed);
  for (const root of [document.documentElement, document.body]) {
    observer.observe(root, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-jp-theme-name", "data-jp-theme-light", "data-vscode-theme-kind"] });
  }
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", changed);
  changed();
  signal.addEventListener("abort", () => {
    observer.disconnect();
    media.removeEventListener("change", changed);
    clearTimeout(later);
  });
  apply();
}

/** The first painted background behind an element, as red, green and blue; null if there is none. */
function backgroundOf(element) {
  for (let one = element; one; one = one.parentElement ?? one.getRootNode().host ?? null) {
    const paint = getComputedStyle(one).backgroundColor;
    const rgb = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(paint);
    if (rgb && Number(rgb[4] ?? 1) > 0.5) return rgb.slice(1, 4).map(Number);
    if (!rgb && paint !== "transparent") return painted(paint);
  }
  return null;
}

/** Colours in other notations, such as oklch. */
function painted(paint) {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = paint;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/** By relative luminance. */
export function isDark([red, green, blue]) {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
