import bidiFactory from 'bidi-js';
import { faceWith, first } from './fonts-process.js';

// Breaks texts of any script into lines, and orders what is read from right to left.

/** @typedef {import('./fonts-process.js').Weight} Weight */
/** @typedef {{ face: import('./fonts-process.js').Face, text: string }} Run A part of a line, in the order of the paper. */
/** @typedef {{ logical: string, runs: Run[] }} Line */

// The package says that its whole module is the function.
const bidi = /** @type {any} */ (bidiFactory)();
const missing = '\u25a1';
/** A line can be broken between these letters. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
/** They are not seen, and change only how others are written. */
const invisible = /[\p{Cf}\p{Mn}\p{Variation_Selector}]/u;

/**
 * Returns a text that can be printed: characters that no font has become □.
 *
 * @param {string} text
 * @param {Weight} weight
 * @returns {{ text: string, isComplete: boolean }}
 */
export function printable(text, weight) {
  let isComplete = true;
  const all = [...text.normalize('NFC')].flatMap((one) => {
    if (/\s/.test(one)) return ' ';
    if (faceWith(weight, one.codePointAt(0) ?? 0)) return one;
    if (invisible.test(one)) return '';
    isComplete = false;
    return missing;
  });
  return { text: all.join(''), isComplete };
}

/**
 * Breaks a printable text into lines of at most `width`.
 *
 * @param {string} text
 * @param {number} width
 * @param {Weight} weight
 * @param {(run: Run) => number} widthOf
 * @returns {Line[]}
 */
export function linesOf(text, width, weight, widthOf) {
  const measured = (/** @type {string} */ part) => runsOf(part, weight).reduce((sum, run) => sum + widthOf(run), 0);
  /** @type {string[]} */
  const lines = [];
  let line = '';
  for (const piece of piecesOf(text)) {
    if (measured(`${line}${piece}`.trimEnd()) <= width) {
      line += piece;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = piece.trimStart();
    // A word that is longer than a line is broken anywhere.
    while (measured(line.trimEnd()) > width) {
      const letters = [...line];
      let fits = 1;
      while (fits < letters.length && measured(letters.slice(0, fits + 1).join('')) <= width) fits++;
      lines.push(letters.slice(0, fits).join(''));
      line = letters.slice(fits).join('');
    }
  }
  if (line.trim() !== '' || lines.length === 0) lines.push(line.trimEnd());
  return lines.map((logical) => ({ logical, runs: runsOf(logical, weight) }));
}

/**
 * Words with the blanks after them, and single letters of scripts without blanks.
 *
 * @param {string} text
 */
function piecesOf(text) {
  return (text.match(/[^ ]+ *| +/g) ?? []).flatMap((word) => {
    /** @type {string[]} */
    const parts = [];
    for (const one of word) {
      const last = parts.at(-1);
      const isApart = last === undefined || (one !== ' ' && (unspaced.test(one) || unspaced.test(last)));
      if (isApart) parts.push(one);
      else parts[parts.length - 1] = last + one;
    }
    return parts;
  });
}

/**
 * The parts of a line with one font and one direction each, in the order of the paper.
 *
 * @param {string} text
 * @param {Weight} weight
 * @returns {Run[]}
 */
function runsOf(text, weight) {
  const { levels } = bidi.getEmbeddingLevels(text, 'auto');
  const mirrored = bidi.getMirroredCharactersMap(text, levels);
  /** @type {(Run & { level: number })[]} */
  const runs = [];
  let at = 0;
  for (const one of text) {
    const level = levels[at] ?? 0;
    const last = runs.at(-1);
    const isBlank = one === ' ';
    const letter = mirrored.get(at) ?? one;
    const face = isBlank && last ? last.face : (faceWith(weight, letter.codePointAt(0) ?? 0) ?? first);
    // Words that are read from right to left are drawn one by one: only their letters are ordered by the font.
    const isApart = level % 2 === 1 && (isBlank || last?.text === ' ' || !isShaped(one) || !isShaped(last?.text ?? ''));
    if (last?.face === face && last.level === level && !isApart) last.text += letter;
    else runs.push({ face, text: letter, level });
    at += one.length;
  }
  return reordered(runs);
}

/** @param {string} text */
function isShaped(text) {
  return /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{Mn}]/u.test(text);
}

/**
 * Rule L2 of the bidirectional algorithm of Unicode.
 *
 * @template {{ level: number }} T
 * @param {T[]} runs
 */
function reordered(runs) {
  const ordered = [...runs];
  const highest = Math.max(0, ...ordered.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from;
      while (to < ordered.length && (ordered[to]?.level ?? 0) >= level) to++;
      if (to > from + 1) ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = Math.max(from, to);
    }
  }
  return ordered;
}
