import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import { watched } from './watched.ts';

/** Unfinished work of one kind. `age` is that of the oldest, in milliseconds. */
interface WorkBacklog {
  readonly kind: string;
  readonly count: number;
  readonly age: number;
}

/** The metrics of the work that is done after the answer, such as sending mails. */
export interface WorkInstruments {
  /** `outcome` is how an attempt ended. */
  workEnded(kind: string, outcome: string): void;
  /** `backlog` is called every 15 seconds at most. */
  watchWork(backlog: () => Promise<readonly WorkBacklog[]>): void;
}

export function createWorkInstruments(registry: Registry): WorkInstruments {
  const registers = [registry];
  const attempts = new Counter({
    name: 'latchkey_work_attempts_total',
    help: 'Attempts to do work in the background, by kind and outcome: done, again (failed, tried again later), failed (for good) or given back.',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const backlog = watched<readonly WorkBacklog[]>();
  // All workers of a server read the same table.
  const gauge = { aggregator: 'max', labelNames: ['kind'] as const, registers } as const;
  new Gauge({
    ...gauge,
    name: 'latchkey_work_queue_depth',
    help: 'Unfinished work in the database, by kind: mails that wait or are being sent.',
    async collect() {
      for (const { kind, count } of (await backlog.latest()) ?? []) this.set({ kind }, count);
    },
  });
  new Gauge({
    ...gauge,
    name: 'latchkey_work_queue_oldest_seconds',
    help: 'Age of the oldest unfinished work, by kind. It grows while a mail server is down.',
    async collect() {
      for (const { kind, age } of (await backlog.latest()) ?? []) this.set({ kind }, age / 1000);
    },
  });
  return {
    workEnded: (kind, outcome) => attempts.inc({ kind, outcome }),
    watchWork: backlog.watch,
  };
}
