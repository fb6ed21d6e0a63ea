import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../../../core/ports/clock.ts';
import type { VerificationRun, WebhookVerifications } from '../../../core/ports/webhook-telling.ts';
import { minute } from '../../../core/time.ts';
import type { Database } from '../database.ts';
import { leaseTime } from '../imports/owner.ts';
import {
  type CounterPlace,
  dropWatched,
  finishProduct,
  readCounters,
  storeCounters,
  type WatchedProduct,
  watchedProducts,
} from './counters.ts';

const table = 'webhook_runs';
const subject = 'verifications';

/** How often it is stored that a product was read, if nothing has grown, in milliseconds. */
const rarely = 10 * minute;

type Products = Awaited<ReturnType<typeof watchedProducts>>;

/** Compares without a lock, and writes what has grown in short transactions. */
export function createSqlWebhookVerifications(
  { read, write }: Pick<Database, 'read' | 'write'>,
  clock: Clock,
): WebhookVerifications {
  function runOf(owner: string, to: number, lease: number, products: Products): VerificationRun {
    const listened = [...products.listened];
    const unwanted = [...products.unwanted];
    let place: CounterPlace | undefined;
    let hasGrown = false;
    let renewedAt = performance.now();

    /** Runs a step in a transaction in which nobody can take over. Returns `false` if the run is not ours any more. */
    async function step(work: (trx: Knex.Transaction) => Promise<unknown>, change: object = {}): Promise<boolean> {
      const isOurs = await write(async (trx) => {
        const held = await trx(table)
          .where({ subject, owner })
          .update({ leased_until: leaseTime(trx, clock, lease), ...change });
        if (held > 0) await work(trx);
        return held > 0;
      });
      renewedAt = performance.now();
      return isOurs;
    }

    /** Compares some domains of a product. Writes only if there is something new, or if it is time to. */
    async function compare(product: WatchedProduct): Promise<boolean> {
      const { rows, next } = await read((knex) => readCounters(knex, product, place));
      hasGrown ||= rows.length > 0;
      const isEnd = next === undefined;
      const isNoted = isEnd && (product.readAt === null || hasGrown || to - product.readAt > rarely);
      const isLate = performance.now() - renewedAt > lease / 3;
      if (rows.length > 0 || isNoted || isLate) {
        const isOurs = await step(async (trx) => {
          await storeCounters(trx, product, rows, clock.now());
          if (isNoted) await finishProduct(trx, product.id, to);
        });
        if (!isOurs) return false;
      }
      place = next;
      if (isEnd) {
        listened.shift();
        hasGrown = false;
      }
      return true;
    }

    async function drop(id: number): Promise<boolean> {
      let isGone = false;
      const isOurs = await step(async (trx) => {
        isGone = await dropWatched(trx, id);
      });
      if (isGone) unwanted.shift();
      return isOurs;
    }

    return {
      async next() {
        const [product] = listened;
        if (product) return (await compare(product)) ? 'more' : 'lost';
        const [id] = unwanted;
        if (id !== undefined) return (await drop(id)) ? 'more' : 'lost';
        return (await step(async () => undefined, { done_to: to, leased_until: 0 })) ? 'done' : 'lost';
      },
    };
  }

  return {
    async claim(to, lease) {
      // Without these reads, an idle process would take SQLite's write lock again and again.
      const products = await read(watchedProducts);
      if (products.listened.length + products.unwanted.length === 0) return undefined;
      const seen = await read((knex) => knex(table).where({ subject }).first());
      if (seen !== undefined && seen.done_to >= to) return undefined;
      const owner = randomUUID();
      const claimed = await write(async (trx) => {
        const unclaimed = { subject, done_to: 0, owner: '', leased_until: 0 };
        await trx(table).insert(unclaimed).onConflict('subject').ignore();
        return await trx(table)
          .where({ subject })
          .where('done_to', '<', to)
          .where((free) =>
            free
              .where('leased_until', '<=', leaseTime(trx, clock))
              // The clock was set back.
              .orWhere('leased_until', '>', leaseTime(trx, clock, lease)),
          )
          .update({ owner, leased_until: leaseTime(trx, clock, lease) });
      });
      return claimed === 0 ? undefined : runOf(owner, to, lease, products);
    },
  };
}
