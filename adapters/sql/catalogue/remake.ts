import { type Database, isPostgres } from '../database.ts';
import { gettingLocks, limitWaits } from '../migrate.ts';
import { catalogueTables, fillCatalogue } from './entries.ts';

/** Milliseconds for which `remakeCatalogue` tries to lock the products. */
const patience = 60_000;

/** Makes the catalogue of all products anew, while nobody can change or sell one. Returns the number of its products. */
export async function remakeCatalogue({
  write,
  writeLong = write,
  vacuum,
}: Pick<Database, 'write' | 'writeLong' | 'vacuum'>): Promise<number> {
  const remake = () =>
    writeLong(async (trx) => {
      if (isPostgres(trx)) {
        await limitWaits(trx, patience);
        await trx.raw('LOCK TABLE products IN SHARE ROW EXCLUSIVE MODE');
      }
      await fillCatalogue(trx);
      const [row] = await trx('catalogue').count({ products: '*' });
      return Number(row?.products);
    });
  const products = await gettingLocks(performance.now() + patience, remake);
  await vacuum?.(catalogueTables);
  return products;
}
