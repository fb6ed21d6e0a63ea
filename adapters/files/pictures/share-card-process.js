import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// The part of `render-process.js` that draws the texts of a picture for other sites. Letters are shapes, so that no font needs to be
// installed.

/**
 * @typedef {{ title: string, line: string, price: string, site: string, accent: string }} ShareCard `line` stands under the
 * title. Each text but `accent`, a CSS color, can be empty.
 * @typedef {import('fontkit').Font} Font
 * @typedef {{ shapes: string, width: number }} Drawing The shapes of a text in the units of the font, and its width.
 */

/** The size that other sites show in full. */
export const cardSize = { width: 1200, height: 630 };
/** The height of the product's picture at the top. */
export const coverHeight = 330;

const margin = 72;
const room = cardSize.width - 2 * margin;
const ink = '#14181b';
const faint = '#55605b';
const longest = 200;

/** The parts of the font Inter by script. */
const scripts = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic', 'cyrillic-ext'];
/** @type {Promise<Font[]> | undefined} */
let loaded;

/** Throws if the package of the font, or the one that reads it, is not installed. */
async function loadFonts() {
  const { create } = await import('fontkit');
  return await Promise.all(
    scripts.map(async (script) => {
      const file = import.meta.resolve(`@fontsource/inter/files/inter-${script}-600-normal.woff`);
      return /** @type {Font} */ (create(await readFile(fileURLToPath(file))));
    }),
  );
}

/**
 * Draws the texts of a card as SVG. Leaves the place of the picture empty. Texts with letters that the font does not have are
 * left out.
 *
 * @param {ShareCard} card
 * @param {boolean} hasCover
 */
export async function cardSvg({ title, line, price, site, accent }, hasCover) {
  loaded ??= loadFonts();
  const fonts = await loaded;
  const parts = [];
  const top = hasCover ? coverHeight : 0;
  const size = hasCover ? 50 : 68;
  let y = top + (hasCover ? 78 : 250);
  const lines = wrapped(fonts, title, size, hasCover ? 2 : 3);
  for (const one of lines) {
    parts.push(placed(one, margin, y, size, ink));
    y += size * 1.25;
  }
  if (!hasCover || lines.length < 2) {
    for (const one of wrapped(fonts, line, 34, hasCover ? 1 : 2)) {
      parts.push(placed(one, margin, y, 34, faint));
      y += 46;
    }
  }
  const bottom = cardSize.height - 56;
  const [cost] = wrapped(fonts, price, 46, 1);
  if (cost) parts.push(placed(cost, margin, bottom, 46, accent));
  const [name] = wrapped(fonts, site, 30, 1, room / 2);
  if (name) parts.push(placed(name, cardSize.width - margin - name.width * 30, bottom, 30, faint));
  const { width, height } = cardSize;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect y="${top}" width="${width}" height="${height - top}" fill="#fff"/>
    <rect y="${height - 12}" width="${width}" height="12" fill="${accent}"/>${parts.join('')}</svg>`;
}

/**
 * @param {Drawing} drawing
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} color
 */
function placed({ shapes }, x, y, size, color) {
  return `<g transform="translate(${x} ${y}) scale(${size} ${-size})" fill="${color}">${shapes}</g>`;
}

/**
 * Lines of whole words. The last one ends with an ellipsis if there are more words, as does a word that is too long. Empty
 * if no font has one of the letters.
 *
 * @param {Font[]} fonts
 * @param {string} text
 * @param {number} size
 * @param {number} lines
 * @returns {Drawing[]}
 */
function wrapped(fonts, text, size, lines, width = room) {
  const characters = [...text.slice(0, longest).normalize('NFKC').slice(0, longest)].filter(
    (one) => /\s/.test(one) || fontOf(fonts, one) !== undefined || needed.test(one),
  );
  if (characters.some((one) => needed.test(one) && fontOf(fonts, one) === undefined)) return [];
  const words = characters.join('').split(/\s+/).filter(Boolean);
  const fits = (/** @type {string} */ one) => measured(fonts, one) * size <= width;
  /** @type {string[]} */
  const found = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last !== undefined && fits(`${last} ${word}`)) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  const shown = found.slice(0, lines).map((one, at) => {
    if (fits(one) && (at < lines - 1 || found.length <= lines)) return one;
    const letters = [...one];
    let [enough, tooMany] = [0, letters.length + 1];
    while (tooMany - enough > 1) {
      const middle = Math.floor((enough + tooMany) / 2);
      if (fits(`${letters.slice(0, middle).join('')}…`)) enough = middle;
      else tooMany = middle;
    }
    return `${letters.slice(0, enough).join('').trimEnd()}…`;
  });
  return shown.map((one) => drawn(fonts, one));
}

/** What a text cannot be read without. Other characters, as emoji, are left out if no font has them. */
const needed = /[\p{L}\p{N}]/u;

/**
 * @param {Font[]} fonts
 * @param {string} character
 */
function fontOf(fonts, character) {
  const code = character.codePointAt(0) ?? 0;
  return fonts.find((one) => one.hasGlyphForCodePoint(code));
}

/**
 * The parts of a text with one font each.
 *
 * @param {Font[]} fonts
 * @param {string} text
 */
function runsOf(fonts, text) {
  /** @type {{ font: Font, text: string }[]} */
  const runs = [];
  for (const character of text) {
    const font = fontOf(fonts, character);
    const last = runs.at(-1);
    if (font === undefined) continue;
    if (last?.font === font) last.text += character;
    else runs.push({ font, text: character });
  }
  return runs.map(({ font, text: run }) => ({ laidOut: font.layout(run), scale: 1 / font.unitsPerEm }));
}

/**
 * @param {Font[]} fonts
 * @param {string} text
 */
function measured(fonts, text) {
  return runsOf(fonts, text).reduce((sum, { laidOut, scale }) => sum + laidOut.advanceWidth * scale, 0);
}

/**
 * @param {Font[]} fonts
 * @param {string} text
 * @returns {Drawing}
 */
function drawn(fonts, text) {
  let width = 0;
  let shapes = '';
  for (const { laidOut, scale } of runsOf(fonts, text)) {
    const { glyphs, positions } = laidOut;
    for (const [at, glyph] of glyphs.entries()) {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[at] ?? {};
      const place = `translate(${width + xOffset * scale} ${yOffset * scale}) scale(${scale})`;
      shapes += `<path transform="${place}" d="${glyph.path.toSVG()}"/>`;
      width += xAdvance * scale;
    }
  }
  return { shapes, width };
}
