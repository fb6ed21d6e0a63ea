import { setMaxListeners } from 'node:events';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { createSecretBox } from '../../adapters/node/secret-box.ts';
import { createSqlWebhookQueue } from '../../adapters/sql/stores/webhook-queue.ts';
import { createSendWebhook } from '../../adapters/webhooks/send.ts';
import type { WebhookQueue } from '../../core/ports/webhook-queue.ts';
import type { SendWebhook } from '../../core/ports/webhook-sender.ts';
import { createDispatcher } from '../../core/webhooks/dispatcher.ts';
import { openAt } from './process-parts.ts';

// A process that delivers webhooks to 127.0.0.1 until nothing is due at the given time. Usage: webhook-process.ts
// <database> <secret key> <now> [step]. Kills itself at that step.

const [place = '', key = '', now = '', step] = process.argv.slice(2);
const database = await openAt(place);
const clock = createManualClock(Number(now));
const sqlQueue = createSqlWebhookQueue(database);
const realSend = createSendWebhook({ version: '0', clock, allowHttp: true, allowedNetworks: ['127.0.0.1'] });

/** Ends the process like a crash, if its settings name this step. */
const dieAt = (reached: string) => {
  if (step === reached) process.kill(process.pid, 'SIGKILL');
};
let claimed = 0;
const queue: WebhookQueue = {
  ...sqlQueue,
  async claim(wanted) {
    const turns = await sqlQueue.claim(wanted);
    claimed = turns.length;
    if (claimed > 0) dieAt('claimed');
    return turns;
  },
  async settle(turn, result, until) {
    const isMine = await sqlQueue.settle(turn, result, until);
    if (result.settled.length > 0) dieAt('settled');
    return isMine;
  },
};
const send: SendWebhook = async (message, stop) => {
  const sending = realSend(message, stop);
  if (step === 'sending') setTimeout(dieAt, 10, 'sending');
  const attempted = await sending;
  dieAt('sent');
  return attempted;
};
const never = new AbortController().signal;
setMaxListeners(0, never);
const dispatcher = createDispatcher(
  { queue, send, box: createSecretBox(key), tellOwner: async () => ({}), clock },
  {
    stop: never,
    settled: () => undefined,
    failed: (error) => {
      throw error;
    },
  },
);
do {
  await dispatcher.take();
  await dispatcher.idle();
} while (claimed > 0);
await database.close();
