import type { Abort } from '../../../core/abort.ts';
import { checkDeployment } from '../../../core/deployments/check-deployment.ts';
import { sendMail } from '../../../core/mail/send-mail.ts';
import { lookAtOrder } from '../../../core/purchases/settle.ts';
import { watchUsdc } from '../../../core/usdc/watching.ts';
import { type Dispatcher, createDispatcher as dispatcherOf } from '../../../core/webhooks/dispatcher.ts';
import { createTellOwner } from '../../../core/webhooks/health-letters.ts';
import { kindsTogether, type WorkKind } from '../../../core/work/work.ts';
import { type Attempts, type Worker, createWorker as workerOf } from '../../../core/work/worker.ts';
import { clock, log } from '../chosen.ts';
import { part } from '../part.ts';
import { chains, keccak } from './chain.ts';
import { mailer, writeLetter } from './mail.ts';
import { instruments } from './observing.ts';
import { settleOrder, tellUsdcOrder } from './purchases.ts';
import { secretBox } from './secrets.ts';
import * as sql from './sql.ts';
import { sendWebhook } from './webhooks.ts';

/** How many pieces of work a process does at the same time. */
const places = 8;

const allKinds: readonly WorkKind[] = kindsTogether.flat();

/** Creates a worker for these kinds, or for all. `stop` makes running work end, and `freed` is called when a place is free again. */
export type CreateWorker = (stop: Abort, freed?: () => void, kinds?: readonly WorkKind[]) => Worker;

/** Creates workers that log and count failures. */
export const createWorker = part(
  ({ queue, store, mailer, settle, coupons, checks, usdc, tell, clock, log, instruments, ...chain }): CreateWorker => {
    const attempts: Attempts = {
      mail: sendMail(store, mailer),
      order: lookAtOrder(settle, coupons, clock),
      deployment: checkDeployment({ checks, clock, ...chain }),
      usdc: watchUsdc({ store: usdc, tell, chains: chain.chains, clock }),
    };
    return (stop, freed = () => undefined, kinds = allKinds) =>
      workerOf(queue, pick(attempts, kinds), clock, {
        places,
        stop,
        freed,
        observe({ work: { kind, subjectId, attempt }, outcome }, bug) {
          instruments.workEnded(kind, outcome.kind);
          if (outcome.kind !== 'failed' && outcome.kind !== 'again') return;
          const fields = { kind, id: subjectId, attempt, error: outcome.error, ...(bug !== undefined && { err: bug }) };
          log[bug === undefined ? 'warn' : 'error'](
            fields,
            outcome.kind === 'failed' ? 'work failed for good' : 'work failed and is tried again',
          );
        },
      });
  },
  {
    ...{ queue: sql.workQueue, store: sql.mailStore, mailer, settle: settleOrder, coupons: sql.couponStore },
    ...{ checks: sql.deploymentChecks, chains, keccak, clock, log, instruments },
    ...{ usdc: sql.usdcStore, tell: tellUsdcOrder },
  },
);

/** The attempts of some kinds. */
function pick(attempts: Attempts, kinds: readonly WorkKind[]): Partial<Attempts> {
  return Object.fromEntries(kinds.map((kind) => [kind, attempts[kind]]));
}

/** Creates a dispatcher. `stop` aborts running attempts, and `freed` is called when a place is free again. */
export type CreateDispatcher = (stop: Abort, freed?: () => void) => Dispatcher;

/** Creates dispatchers that log and count the results of deliveries. */
export const createDispatcher = part(
  ({ queue, send, box, accounts, write, clock, log, instruments }): CreateDispatcher => {
    const tellOwner = createTellOwner(accounts, write);
    return (stop, freed = () => undefined) =>
      dispatcherOf(
        { queue, send, box, tellOwner, clock },
        {
          stop,
          freed,
          settled({ delivery: { id, attempt }, attempted: { fault, duration }, next: { state } }) {
            instruments.webhookSent(state);
            log.debug({ delivery: id, attempt, state, fault, duration }, 'webhook sent');
          },
          failed: (err) => log.error({ err }, 'webhooks cannot be delivered at the moment'),
        },
      );
  },
  {
    queue: sql.webhookQueue,
    send: sendWebhook,
    box: secretBox,
    accounts: sql.accountStore,
    write: writeLetter,
    clock,
    log,
    instruments,
  },
);
