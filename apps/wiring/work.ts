import type { Logger } from 'pino';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { Abort } from '../../core/abort.ts';
import { sendMail } from '../../core/mail/send-mail.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { MailStore } from '../../core/ports/mail-store.ts';
import type { Mailer } from '../../core/ports/mailer.ts';
import type { WorkQueue } from '../../core/ports/work-queue.ts';
import { lookAtOrder, type SettleOrder } from '../../core/purchases/settle.ts';
import { createWorker, type Worker } from '../../core/work/worker.ts';

/** How many pieces of work a process does at the same time. */
const places = 8;

/** Creates a worker. `stop` makes running work end, and `freed` is called when a place is free again. */
export type CreateWorker = (stop: Abort, freed?: () => void) => Worker;

/** Returns a function that creates workers which do every kind of work, and which log and count failures. */
export function workerFor(
  queue: WorkQueue,
  store: MailStore,
  mailer: Mailer,
  settle: SettleOrder,
  clock: Clock,
  log: Logger,
  { workEnded }: Instruments,
): CreateWorker {
  return (stop, freed = () => undefined) =>
    createWorker(queue, { mail: sendMail(store, mailer), order: lookAtOrder(settle, clock) }, clock, {
      places,
      stop,
      freed,
      observe({ work: { kind, subjectId, attempt }, outcome }, bug) {
        workEnded(kind, outcome.kind);
        if (outcome.kind !== 'failed' && outcome.kind !== 'again') return;
        const fields = { kind, id: subjectId, attempt, error: outcome.error, ...(bug !== undefined && { err: bug }) };
        log[bug === undefined ? 'warn' : 'error'](
          fields,
          outcome.kind === 'failed' ? 'work failed for good' : 'work failed and is tried again',
        );
      },
    });
}
