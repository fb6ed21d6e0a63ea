import { Unavailable } from '../../core/unavailable.ts';
import { codeOf, isDiskOutage } from '../system-error.ts';

/** Returns `Unavailable` for an outage of the disk, else the error itself. */
export function translated(error: unknown): unknown {
  return isDiskOutage(error) ? new Unavailable('The files cannot be used at the moment.', { cause: error }) : error;
}

/** Runs the work. Throws `Unavailable` if the disk has an outage. */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

/** Resolves with the result, or with `undefined` if the file does not exist. */
export async function unlessGone<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
