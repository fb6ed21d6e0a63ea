import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { second } from '../../core/time.ts';
import type { PrintCaller, PrintSheet } from '../contracts/invoice-sheet.ts';
import { createJobProcess } from '../job-process.ts';
import { networkOf } from '../network.ts';
import { createFairQueue } from '../queue.ts';
import type { Printed, Sheet } from './print-process.js';

const program = fileURLToPath(new URL('./print-process.js', import.meta.url));

/** A caller has few: pages ask for one file at a time. */
const limits = { atOnce: 1, waiting: 40, waitingOfOne: 4 };
/** Guests can come from many networks. So they wait here, and never fill the places of those who are signed in. */
const guestLimits = { atOnce: 1, waiting: 20, waitingOfOne: 2 };

/** For how long one file may be made. It needs a second, and longer on a busy machine, because the server goes first. */
const patience = 60 * second;

/** Bytes of files that are kept in memory, so that a file that is fetched again costs nothing. */
const kept = 2 * 1024 ** 2;

/** `whenMissing` is called once, if the packages for PDFs are not installed. */
export function createPrintSheet(whenMissing: () => void): PrintSheet {
  const inTurn = createFairQueue<number | 'guests'>(limits);
  const inTurnOfGuests = createFairQueue<string>(guestLimits);
  const inTurnOf = <T>(caller: PrintCaller, work: () => Promise<T>): Promise<T> =>
    'account' in caller
      ? inTurn(caller.account, work)
      : inTurnOfGuests(networkOf(caller.address, 48) ?? caller.address, () => inTurn('guests', work));
  const run = createJobProcess<Sheet, Printed>({
    program,
    memory: 96,
    failure: 'The PDF cannot be made now.',
    whenMissing,
  });
  const files = new LRUCache<string, Buffer>({ maxSize: kept, sizeCalculation: ({ length }) => Math.max(1, length) });
  return async (sheet, caller) => {
    const name = JSON.stringify(sheet);
    const known = files.get(name);
    if (known) return known;
    return await inTurnOf(caller, async () => {
      const made = await run(sheet, patience);
      if (made === 'not_installed') return undefined;
      const file = Buffer.from(made.pdf);
      files.set(name, file);
      return file;
    });
  };
}
