import { type Refused, refuse } from '../refusal.ts';

/** A color as red, green and blue, each from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

/** The grounds of pages on which the accent color stands. None of the style sheet is darker in light, or lighter in dark. */
export const grounds = {
  light: ['#ffffff', '#eff2f1'],
  dark: ['#14181b', '#1d2327'],
} as const;

/** The contrast that WCAG 2 wants between a text and its ground. */
export const leastContrast = 4.5;

/** How much of the accent color is in the ground of marked parts. */
const tint = { light: 0.08, dark: 0.16 };

/** The accent color of the pages in both themes. Each is `#` and six hexadecimal digits in lower case. */
export interface Accent {
  /** As the owner chose it. */
  readonly light: string;
  /** The same color, made lighter until it can be read on a dark ground. */
  readonly dark: string;
  /** The grounds of marked parts. */
  readonly marked: { readonly light: string; readonly dark: string };
}

/**
 * Returns the accent of a color such as `#1b6b50`. Refuses a color that cannot be read on the light grounds. On a white
 * ground and as the ground of white text, its contrast is the same.
 */
export function accentOf(text: string): Accent | Refused<'not_a_color' | 'too_light'> {
  const light = text.toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(light)) return refuse('not_a_color');
  const marked = mixed('#ffffff', light, tint.light);
  const least = leastOf(light, [...grounds.light, marked]);
  if (least < leastContrast) return refuse('too_light', undefined, { contrast: least, needed: leastContrast });
  return { light, ...inDark(light, marked) };
}

function inDark(light: string, markedInLight: string): Omit<Accent, 'light'> {
  for (let white = 0; ; white += 0.02) {
    const dark = mixed(light, '#ffffff', Math.min(white, 1));
    const marked = mixed(grounds.dark[0], dark, tint.dark);
    if (white >= 1 || leastOf(dark, [...grounds.dark, marked]) >= leastContrast) {
      return { dark, marked: { light: markedInLight, dark: marked } };
    }
  }
}

function leastOf(color: string, on: readonly string[]): number {
  return Math.min(...on.map((ground) => contrast(color, ground)));
}

/** The contrast of two colors, from 1 to 21, as WCAG 2 computes it. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(rgbOf(one)), luminance(rgbOf(other))].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns `from` with this share of `to` in it. */
function mixed(from: string, to: string, share: number): string {
  const other = rgbOf(to);
  const parts = rgbOf(from).map((part, n) => Math.round(part * (1 - share) + (other[n] ?? 0) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function rgbOf(color: string): Rgb {
  const at = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}
