import PDFDocument from 'pdfkit';
import { linesOf, printable } from './lines-process.js';

// Lays an invoice out on pages: a PDF with tags, so that programs can read it aloud.

/** @typedef {import('../contracts/invoice-sheet.ts').PrintedSheet} Sheet */
/** @typedef {import('./fonts-process.js').Weight} Weight */
/** @typedef {{ size?: number, weight?: Weight, color?: string, isRight?: boolean }} Look */

const margin = 56;
/** Room for the number of the page. */
const foot = 40;
const ink = '#14181b';
const faint = '#55605b';
const rule = '#c9d1cd';
const usual = 10;

/**
 * @param {Sheet} sheet
 * @returns {Promise<Uint8Array>}
 */
export async function layOut(sheet) {
  const document = new PDFDocument({
    ...{ size: sheet.paper, margin, bufferPages: true, autoFirstPage: false },
    ...{ pdfVersion: '1.7', tagged: true, lang: 'en', displayTitle: true },
    info: { Title: sheet.title, Creator: sheet.site, Producer: sheet.site },
    font: /** @type {any} */ (null),
  });
  /** @type {Uint8Array[]} */
  const pieces = [];
  document.on('data', (piece) => pieces.push(piece));
  const ended = new Promise((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  write(document, sheet);
  document.end();
  await ended;
  return Buffer.concat(pieces);
}

/**
 * @param {PDFKit.PDFDocument} document
 * @param {Sheet} sheet
 */
function write(document, sheet) {
  document.addPage();
  const { width, height } = document.page;
  const bottom = height - margin - foot;
  const all = { x: margin, width: width - 2 * margin };
  const amountWidth = 120;
  const wide = { x: all.x, width: all.width - amountWidth - 12 };
  const right = { x: all.x + all.width - amountWidth, width: amountWidth };
  const root = document.struct('Document');
  document.addStructure(root);
  const known = new Set();
  let isComplete = true;
  let y = margin;

  const use = (/** @type {import('./fonts-process.js').Face} */ { name, bytes }) => {
    if (!known.has(name)) document.registerFont(name, bytes);
    known.add(name);
    return document.font(name);
  };

  /**
   * A text in a column, broken into lines. Returns its height, and what draws it at a height of the page.
   *
   * @param {string} text
   * @param {{ x: number, width: number }} column
   * @param {Look} [look]
   */
  function block(text, { x, width: room }, { size = usual, weight = 'regular', color = ink, isRight = false } = {}) {
    const shown = printable(text, weight);
    isComplete &&= shown.isComplete;
    const widthOf = (/** @type {import('./lines-process.js').Run} */ run) =>
      use(run.face).fontSize(size).widthOfString(run.text);
    const lines = linesOf(shown.text, room, weight, widthOf);
    const step = size * 1.45;
    return {
      step,
      lines,
      /**
       * @param {number} at
       * @param {typeof lines} [some]
       */
      draw(at, some = lines) {
        for (const [row, { runs }] of some.entries()) {
          const all = runs.reduce((sum, run) => sum + widthOf(run), 0);
          let left = isRight ? x + room - all : x;
          for (const run of runs) {
            use(run.face).fontSize(size).fillColor(color);
            // Fonts differ in how far their letters reach up.
            document.text(run.text, left, at + row * step + size, { lineBreak: false, baseline: 'alphabetic' });
            left += widthOf(run);
          }
        }
      },
    };
  }

  /** @param {number} needed */
  function makeRoom(needed) {
    if (y + needed <= bottom) return;
    document.addPage();
    y = margin;
  }

  /**
   * Writes a row of blocks side by side, with a tag for each. A row that does not fit goes on, on the next page.
   *
   * @param {PDFKit.PDFStructureElement} parent
   * @param {{ tag: string, block: ReturnType<typeof block> }[]} cells
   */
  function row(parent, cells) {
    const most = Math.max(...cells.map((cell) => cell.block.lines.length));
    const step = Math.max(...cells.map((cell) => cell.block.step));
    makeRoom(Math.min(most, 2) * step);
    const tags = cells.map(({ tag }) => document.struct(/** @type {any} */ (tag)));
    for (const tag of tags) parent.add(tag);
    for (let from = 0; from < most; ) {
      const fits = Math.max(1, Math.floor((bottom - y) / step));
      for (const [at, cell] of cells.entries()) {
        const some = cell.block.lines.slice(from, from + fits);
        const top = y;
        if (some.length > 0) tags[at]?.add(document.struct('Span', {}, () => cell.block.draw(top, some)));
      }
      const written = Math.min(fits, most - from);
      from += written;
      y += written * step;
      if (from < most) makeRoom(bottom);
    }
    for (const tag of tags) tag.end();
  }

  /**
   * @param {string} tag
   * @param {string} text
   * @param {Look} [look]
   */
  const paragraph = (tag, text, look) => row(root, [{ tag, block: block(text, all, look) }]);

  function line() {
    document.markContent('Artifact', { type: 'Layout' });
    document
      .moveTo(all.x, y)
      .lineTo(all.x + all.width, y)
      .lineWidth(0.5)
      .strokeColor(rule)
      .stroke();
    document.endMarkedContent();
    y += 6;
  }

  paragraph('H1', sheet.title, { size: 22, weight: 'bold' });
  if (sheet.warning !== undefined) paragraph('P', sheet.warning, { color: '#a33a00', weight: 'bold' });
  y += 14;

  const gap = 24;
  const half = (all.width - gap) / 2;
  const columns = [
    { x: all.x, width: half },
    { x: all.x + half + gap, width: half },
  ];
  const top = y;
  const page = document.bufferedPageRange().count;
  let lowest = y;
  for (const [at, { label, lines }] of sheet.parties.entries()) {
    const column = columns[at] ?? columns[0] ?? all;
    // Two long ones stand side by side only on one page.
    if (document.bufferedPageRange().count === page) y = top;
    row(root, [{ tag: 'H2', block: block(label, column, { size: 9, color: faint }) }]);
    for (const [place, text] of lines.entries()) {
      row(root, [{ tag: 'P', block: block(text, column, place === 0 ? { weight: 'bold' } : {}) }]);
    }
    lowest = document.bufferedPageRange().count === page ? Math.max(lowest, y) : y;
  }
  y = lowest + 16;

  const names = { x: all.x, width: 110 };
  const values = { x: all.x + 118, width: all.width - 118 };
  for (const [label, value] of sheet.facts) {
    row(root, [
      { tag: 'P', block: block(label, names, { color: faint }) },
      { tag: 'P', block: block(value, values) },
    ]);
  }
  y += 18;

  const table = document.struct('Table');
  root.add(table);
  const inTable = (/** @type {{ tag: string, block: ReturnType<typeof block> }[]} */ cells) => {
    const tag = document.struct('TR');
    table.add(tag);
    row(tag, cells);
    tag.end();
  };
  const [item, amount] = sheet.columns;
  inTable([
    { tag: 'TH', block: block(item, wide, { size: 9, color: faint }) },
    { tag: 'TH', block: block(amount, right, { size: 9, color: faint, isRight: true }) },
  ]);
  line();
  for (const { text, under, amount: sum } of sheet.items) {
    inTable([
      { tag: 'TD', block: block(text, wide) },
      { tag: 'TD', block: block(sum, right, { isRight: true }) },
    ]);
    for (const more of under) inTable([{ tag: 'TD', block: block(more, wide, { size: 9, color: faint }) }]);
    y += 4;
  }
  line();
  for (const { label, amount: sum, isTotal } of sheet.sums) {
    /** @type {Look} */
    const look = isTotal ? { weight: 'bold' } : {};
    inTable([
      { tag: 'TH', block: block(label, wide, { ...look, isRight: true }) },
      { tag: 'TD', block: block(sum, right, { ...look, isRight: true }) },
    ]);
  }
  table.end();
  y += 18;
  for (const note of sheet.notes) paragraph('P', note);
  if (!isComplete) paragraph('P', sheet.missing, { color: faint });
  root.end();

  const { start, count } = document.bufferedPageRange();
  const [before, between] = sheet.pageWords;
  for (let at = start; at < start + count; at++) {
    document.switchToPage(at);
    const title = count > 1 ? `${sheet.title} · ` : '';
    const number = block(`${title}${before} ${at + 1} ${between} ${count}`, all, {
      size: 8,
      color: faint,
      isRight: true,
    });
    // Otherwise a text below the margin would begin a page.
    document.page.margins.bottom = 0;
    document.markContent('Artifact', { type: 'Pagination' });
    number.draw(height - margin + 4);
    document.endMarkedContent();
  }
}
