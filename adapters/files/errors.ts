import { Unavailable } from '../../core/unavailable.ts';
import { codeOf, isDiskOutage } from '../system-error.ts';

/** `Unavailable` for an outage of the file system, else the error as it is. */
export function translated(error: unknown): unknown {
  return isDiskOutage(error) ? new Unavailable('The files cannot be used at the moment.', { cause: error }) : error;
}

/** Runs the work; an outage of the file system that it ends in is thrown as `Unavailable`. */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

/** The answer, or `undefined` where the file is gone. */
export async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
