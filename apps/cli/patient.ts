import { rest } from './acting.ts';
import { note } from './output.ts';
import { Stop } from './stop.ts';

const longest = 30_000;

/**
 * Does the work, and again after a failure of the network or the server, which may last for a while. Waits as long as the
 * server asks for, and otherwise `first` milliseconds, then longer. Returns `undefined` after `stop`.
 */
export async function patient<T>(first: number, stop: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  for (let wait = first; ; wait = Math.min(wait * 2, longest)) {
    if (stop.aborted) return undefined;
    try {
      return await work();
    } catch (error) {
      if (stop.aborted) return undefined;
      if (!(error instanceof Stop) || (error.exit !== 'failed' && error.wait === undefined)) throw error;
      note(`${error.message} Trying again.`);
      await rest(error.wait ?? wait, stop);
    }
  }
}
