import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { LicenseUses } from '../../../core/ports/license-uses.ts';
import { TooMuchAtOnce } from '../../../core/unavailable.ts';
import type { Database } from '../database.ts';
import { createTurnsByKey } from '../turns-by-key.ts';
import type { LicenseRow } from './license-rows.ts';
import { laterOf } from './remove-ended.ts';

/** The most uses of one license that wait for the same transaction. */
const mostWaiting = 1_000;

/** Uses of one license that one transaction counts. */
interface Together {
  uses: number;
  /** The time of the last one. */
  at: Instant;
  readonly total: Promise<number | undefined>;
}

/** One transaction of each license runs at a time. Meanwhile, its other uses wait together for the next one. */
export function createSqlLicenseUses({ write }: Pick<Database, 'write'>): LicenseUses {
  const inTurn = createTurnsByKey<LicenseKey>('license');
  const waiting = new Map<LicenseKey, Together>();

  function begin(key: LicenseKey, at: Instant): Together {
    const close = () => {
      if (waiting.get(key) === together) waiting.delete(key);
    };
    const turn = inTurn(key, () => {
      close();
      return write((trx) => add(trx, key, together));
    });
    const together: Together = { uses: 0, at, total: turn.finally(close) };
    waiting.set(key, together);
    return together;
  }

  return {
    async count(key, at) {
      const together = waiting.get(key) ?? begin(key, at);
      if (together.uses >= mostWaiting) throw new TooMuchAtOnce();
      together.uses += 1;
      together.at = Math.max(together.at, at);
      const place = together.uses;
      const total = await together.total;
      return total === undefined ? undefined : total - together.uses + place;
    },
  };
}

async function add(trx: Knex.Transaction, key: LicenseKey, { uses, at }: Together): Promise<number | undefined> {
  const [row] = await trx<LicenseRow>('licenses')
    .where({ key })
    .update({
      retired_verification_count: trx.raw('retired_verification_count + ?', [uses]),
      retired_last_verified_at: laterOf(trx, at),
    })
    .returning('retired_verification_count');
  return row?.retired_verification_count;
}
