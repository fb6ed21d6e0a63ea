import { setPriority } from 'node:os';
import process from 'node:process';

// A process that makes PDFs, one after the other. `print.ts` starts it. It is JavaScript because a process of Node 20 cannot
// start with TypeScript. It knows no secrets, gives way to the server, and its memory is given back when it ends.

/**
 * @typedef {import('../contracts/invoice-sheet.ts').PrintedSheet} Sheet
 * @typedef {{ pdf: Uint8Array } | { failed: string }} Printed
 */

/** Milliseconds without work after which the process ends. */
const idle = 10_000;

/** A lower priority than that of the server, which goes first. */
const low = 5;

setPriority(low);
const layOut = await load();
process.on('disconnect', () => process.exit(0));
let end = setTimeout(process.exit, idle, 0);
if (layOut === undefined) process.send?.('not_installed', () => process.exit(0));
else {
  process.on('message', async (/** @type {Sheet} */ sheet) => {
    clearTimeout(end);
    /** @type {Printed} */
    const printed = await layOut(sheet).then(
      (pdf) => ({ pdf }),
      (error) => ({ failed: String(error) }),
    );
    process.send?.(printed);
    end = setTimeout(process.exit, idle, 0);
  });
  process.send?.('ready');
}

/** Returns what makes a PDF. `undefined` if a package for it is not installed. */
async function load() {
  try {
    return (await import('./sheet-process.js')).layOut;
  } catch (error) {
    const { code } = /** @type {{ code?: string }} */ (error);
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
