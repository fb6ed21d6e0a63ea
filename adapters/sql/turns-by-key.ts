import { setMaxListeners } from 'node:events';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createQueue, type Queue } from '../queue.ts';

/**
 * A change that waits for a locked row occupies a connection. One change of each object runs at a time, so a
 * locked row occupies only one connection.
 */
const limits = { atOnce: 1, waiting: 1_000 };

/** The changes of one object that have not ended. */
interface Line {
  readonly run: Queue;
  readonly out: AbortController;
  users: number;
}

/**
 * Runs the changes of each object one after the other. If one fails because the database is unavailable or the object is
 * locked, all that wait behind it throw `Unavailable` at once. Otherwise each would wait in vain. Each object has a queue of
 * its own instead of a place in `createQueues`, because a failure must end the waiting of all, and of nobody later.
 */
export function createTurnsByKey<Key extends string | number>(what: 'license' | 'order') {
  const lines = new Map<Key, Line>();

  return async <T>(key: Key, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? newLine();
    lines.set(key, line);
    line.users += 1;
    const leave = () => {
      if (lines.get(key) === line) lines.delete(key);
    };
    const turn = async () => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Unavailable || error instanceof OutcomeUnknown) {
          leave(); // Later changes try again.
          line.out.abort(new Unavailable(`The previous change of this ${what} failed.`, { cause: error }));
        }
        throw error;
      }
    };
    try {
      return await line.run(turn, line.out.signal);
    } finally {
      line.users -= 1;
      if (line.users === 0) leave();
    }
  };
}

function newLine(): Line {
  const out = new AbortController();
  setMaxListeners(0, out.signal); // Each waiting change adds a listener. By default, Node would print a warning.
  return { run: createQueue(limits), out, users: 0 };
}
