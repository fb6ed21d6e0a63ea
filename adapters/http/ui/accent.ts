import { isRefused } from '../../../core/refusal.ts';
import { accentOf } from '../../../core/site/accent.ts';

/*
 * The accent color of the owner is a small style sheet after the large one. The policies of pages allow no styles in
 * pages. The color is in its address, so it needs nothing from the database.
 */

/** The accent color of the style sheet, if the owner has chosen none. */
export const usualAccent = '#0b6e4f';

/** The dark ground of the style sheet, as a text on the accent color. */
const darkText = '#0e1113';

/** Returns the address of the sheet, from the first page, such as `assets/accent-1b6b50.css`. */
export function accentAddress(color: string): string {
  return `assets/accent-${color.slice(1)}.css`;
}

/** Returns the sheet with this name, or `undefined` if there is none: the color must be one that an owner can set. */
export function accentSheet(name: string): string | undefined {
  const [, digits] = /^accent-([0-9a-f]{6})\.css$/.exec(name) ?? [];
  const accent = digits === undefined ? undefined : accentOf(`#${digits}`);
  if (accent === undefined || isRefused(accent)) return undefined;
  const { light, dark, marked } = accent;
  const values = {
    accent: `light-dark(${light}, ${dark})`,
    'accent-ink': `light-dark(${light}, ${dark})`,
    'on-accent': `light-dark(#ffffff, ${darkText})`,
    marked: `light-dark(${marked.light}, ${marked.dark})`,
  };
  const lines = Object.entries(values).map(([name, value]) => `  --${name}: ${value};`);
  return `:root {\n${lines.join('\n')}\n}\n`;
}
