import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Bell } from '../wiring/bell.ts';

/** The wait after a failed look, in milliseconds. */
const pause = 10_000;

/** A kind of work to look for. */
export interface Lookout {
  /** Starts what is due. Returns whether more may be due now. */
  look(): Promise<boolean>;
  readonly bell: Pick<Bell, 'listen'>;
  /** Average milliseconds between two looks, for what other processes have added and for what becomes due. */
  readonly every: number;
  /**
   * Only this process can add something, and rings when it does. It does not look before the first ring, so that the
   * database need not be opened.
   */
  readonly isAlone: boolean;
  readonly log: Logger;
  /** Logged when looks begin to fail. */
  readonly trouble: string;
}

export interface Looking {
  /** Looks again at once. */
  wake(): void;
  /** Makes no more looks. Resolves when the last one has ended. */
  end(): Promise<void>;
}

/** Looks for what is due: when the bell rings, and otherwise from time to time. */
export function keepLooking({ look, bell, every, isAlone, log, trouble }: Lookout): Looking {
  let isStopping = false;
  let isFailing = false;
  let isRung = false;
  let endSleep = new AbortController();
  const wake = () => {
    isRung = true;
    endSleep.abort();
  };
  bell.listen(wake);

  async function lookOnce(): Promise<void> {
    try {
      if (await look()) isRung = true;
      isFailing = false;
    } catch (error) {
      // The next looks fail too, until the database is back.
      if (!isFailing) log.error({ err: error }, trouble);
      isFailing = true;
    }
  }
  async function run(): Promise<void> {
    if (isAlone && !isRung) await once(endSleep.signal, 'abort');
    while (!isStopping) {
      isRung = false;
      await lookOnce();
      if (isStopping || (isRung && !isFailing)) continue;
      endSleep = new AbortController();
      // Random, so that several processes do not look at the same time.
      const sleep = isFailing ? pause : every * (0.5 + Math.random());
      await setTimeout(sleep, undefined, { signal: endSleep.signal, ref: false }).catch(() => undefined);
    }
  }
  const ended = run();
  return {
    wake,
    end() {
      isStopping = true;
      endSleep.abort();
      return ended;
    },
  };
}
