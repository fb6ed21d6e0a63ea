import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fontkit from 'fontkit';

// The fonts of PDFs. A document contains only the letters that it uses.

/** @typedef {'regular' | 'bold'} Weight */
/**
 * @typedef {object} Face
 * @property {string} name
 * @property {Buffer} bytes
 * @property {(code: number) => boolean} has
 */

const inter = ['latin', 'latin-ext', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese'];
const files = {
  regular: [
    ...inter.map((part) => fileOf(`@fontsource/inter/files/inter-${part}-400-normal.woff`)),
    ...others('@embedpdf/fonts-arabic', 'NotoNaskhArabic-Regular.ttf'),
    ...others('@embedpdf/fonts-sc', 'NotoSansHans-Regular.otf'),
  ],
  bold: [
    ...inter.map((part) => fileOf(`@fontsource/inter/files/inter-${part}-700-normal.woff`)),
    ...others('@embedpdf/fonts-arabic', 'NotoNaskhArabic-Bold.ttf'),
    ...others('@embedpdf/fonts-sc', 'NotoSansHans-Bold.otf'),
  ],
};

/** The font that every text has. Without it, no PDF can be made. */
export const first = face(files.regular[0] ?? '', 'regular-0');
/** @type {Map<string, Face>} */
const loaded = new Map([['regular-0', first]]);

/**
 * Returns the first font that has a character. `undefined`: none has it, or its package is not installed.
 *
 * @param {Weight} weight
 * @param {number} code
 * @returns {Face | undefined}
 */
export function faceWith(weight, code) {
  for (const [at, file] of files[weight].entries()) {
    const name = `${weight}-${at}`;
    const found = loaded.get(name) ?? face(file, name);
    loaded.set(name, found);
    if (found.has(code)) return found;
  }
  return undefined;
}

/** @param {string} module */
function fileOf(module) {
  return fileURLToPath(import.meta.resolve(module));
}

/**
 * A font of another script. None if its package is not installed.
 *
 * @param {string} module
 * @param {string} name
 */
function others(module, name) {
  try {
    return [fileURLToPath(new URL(`../fonts/${name}`, import.meta.resolve(module)))];
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code === 'ERR_MODULE_NOT_FOUND') return [];
    throw error;
  }
}

/**
 * @param {string} file
 * @param {string} name
 * @returns {Face}
 */
function face(file, name) {
  const bytes = readFileSync(file);
  const font = /** @type {import('fontkit').Font} */ (fontkit.create(bytes));
  return { name, bytes, has: (code) => font.hasGlyphForCodePoint(code) };
}
