import { Unavailable } from '../core/unavailable.ts';

/** As `Within` of the core. `AbortSignal` fits what libraries want. */
export type WithinSignal = <T>(work: (until: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Gives work a deadline in so many milliseconds. One timer and one controller for each: Node 20 may collect a signal that
 * was made by `AbortSignal.any` or `AbortSignal.timeout` before it is aborted.
 */
export function createWithin(milliseconds: number): WithinSignal {
  return async (work) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Unavailable('There was no answer in time.')), milliseconds);
    try {
      return await work(deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}
