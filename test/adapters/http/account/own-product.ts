import { t } from '../../../../apps/wiring/tokens.ts';
import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import { event } from '../../../../core/events/event.ts';
import { blankProduct, type Product } from '../../../../core/marketplace/product.ts';
import { by } from '../../../support/by.ts';
import { newProduct } from '../../../support/license-acts.ts';
import type { Account, AccountService } from './account-service.ts';

/** Adds a product of an account. Its title is its slug, and its parts are those of a new product. */
export async function addOwnProduct(
  { parts }: AccountService,
  slug: string,
  { user }: Account,
  mode: KeyMode = 'live',
  more: Partial<Product> = {},
): Promise<Product> {
  const store = await parts.get(t.productStore);
  const product = newProduct({
    slug,
    title: slug,
    ownerId: user.id,
    isLive: mode === 'live',
    ...blankProduct,
    ...more,
  });
  return await store.add(product, (given) => event('product.added', given, by, Date.UTC(2026, 0, 1)));
}
