import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { OrderId } from '../../core/id.ts';
import { day } from '../../core/time.ts';

/** The claim of a payment that the examples of the API reference read and decide. */
export const exampleClaim = 61;

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

/** Leaves the server with one claim, which is open, and with one transaction that was sent back and is not final. */
export async function prepareClaim(parts: Parts, order: OrderId): Promise<void> {
  const [database, clock] = [await parts.get(t.database), await parts.get(t.clock)];
  const now = clock.now();
  const moved = (digits: string) => ({
    ...{ chain_id: 8_453, tx_hash: `0x${digits.repeat(32)}`, log_index: 1, block_number: 7, block_hash: '0xbb' },
    ...{ from_address: other, to_address: address, amount: 47_120_000 },
  });
  await database.write(async (trx) => {
    for (const table of ['usdc_claims', 'usdc_transfers', 'usdc_sent_back', 'usdc_quotes']) await trx(table).delete();
    const quote = { order_id: order, chain_id: 8_453, address, amount: 49_000_001 };
    const [{ id }] = await trx('usdc_quotes')
      .insert({ ...quote, created_at: now, ends_at: now + day, is_held: 1 })
      .returning('id');
    await trx('usdc_transfers').insert({ ...moved('cd'), quote_id: id, is_final: 1 });
    await trx('usdc_sent_back').insert({ ...moved('ab'), order_id: order, refund: 1, is_final: 0 });
    await trx('usdc_claims').insert({
      ...{ ...moved('ef'), id: exampleClaim, order_id: order, is_final: 1, sent_at: now },
      ...{ state: 'open', created_at: now },
    });
  });
}
