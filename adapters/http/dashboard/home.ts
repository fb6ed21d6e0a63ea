import { homeOf } from '../../../core/accounts/home.ts';
import type { Login } from '../../../core/accounts/login.ts';
import type { ProductStore } from '../../../core/ports/product-store.ts';
import { areas, placePath } from '../ui/area-page.tsx';

/** Returns a function that finds the path of a person's home, from the site's first page. */
export function createHomeOf(products: Pick<ProductStore, 'search'>) {
  return async ({ id: ownerId, role }: Login): Promise<string> => {
    const has = async (isLive: boolean) => (await products.search({ ownerId, isLive, limit: 1 })).items.length > 0;
    const [sellsLive, sellsTest] = await Promise.all([has(true), has(false)]);
    const overview = { area: 'selling', at: 'overview' } as const;
    switch (homeOf({ sellsLive, sellsTest, isAdmin: role === 'admin' })) {
      case 'selling-live':
        return placePath(overview, 'live');
      case 'selling-test':
        return placePath(overview, 'test');
      case 'admin':
        return 'admin';
      case 'purchases':
        return areas.account.purchases;
    }
  };
}
