import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { blankProduct, type Product } from '../../../../core/marketplace/product.ts';
import { defaultTerms, type ProductTerms } from '../../../../core/marketplace/product-terms.ts';
import type { IssueOrder } from '../../../../core/selling/issuing.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import { by, operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { newProduct } from '../../../support/license-acts.ts';
import { type DashboardService, type Person, startDashboardService } from '../dashboard/dashboard-service.ts';

/** A service in memory with pages, and with sellers, products and licenses. */
export interface SellingService extends DashboardService {
  /** Adds and signs in two sellers and an administrator. */
  people(): Promise<Record<'ada' | 'eve' | 'root', Person>>;
  /** Adds a product. `terms` are those that differ from the defaults. */
  product(
    owner: Person | null,
    slug: string,
    more?: Partial<Omit<Product, 'terms'>> & { readonly terms?: Partial<ProductTerms> },
  ): Promise<Product>;
  /** Issues licenses for a live product, as the operator. */
  issue(slug: string, order?: Partial<IssueOrder>, mode?: 'live' | 'test'): Promise<LicenseKey[]>;
  /** Issues one license. */
  license(slug: string, order?: Partial<IssueOrder>, mode?: 'live' | 'test'): Promise<LicenseKey>;
  /** Activates a license on a site, as the site does. */
  activate(key: string, domain: string): Promise<Answer>;
  /** Verifies a license on a site. */
  verify(key: string, domain: string): Promise<Answer>;
  /** The license as it is now. */
  licenseNow(key: string, mode?: 'live' | 'test'): Promise<ShownLicense>;
}

export async function startSellingService(
  settings: Parameters<typeof startDashboardService>[0] = {},
): Promise<SellingService> {
  const service = await startDashboardService(settings);
  const { parts, accounts } = service;
  const [store, licenses] = [await parts.get(t.productStore), await parts.get(t.sellerLicenses)];
  const sent = (path: string, body: object) =>
    service.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  const issue: SellingService['issue'] = async (slug, order = {}, mode = 'live') => {
    const issued = good(await licenses.issue({ product: slug, count: 1, ...order }, { actor: operator, mode }));
    return issued.map(({ license: { key } }) => key);
  };

  return {
    ...service,
    issue,
    people: async () => ({
      ada: await service.signedInUser({ name: 'Ada' }),
      eve: await service.signedInUser({ name: 'Eve' }),
      root: await service.signedInUser({ name: 'Root', role: 'admin' }),
    }),
    async product(owner, slug, { terms, ...more } = {}) {
      const ownerId = owner && good(await accounts.find(owner.email)).id;
      const product = { ...blankProduct, title: slug, isLive: true, ...more, terms: { ...defaultTerms, ...terms } };
      return await store.add(newProduct({ ...product, slug, ownerId }), (given) =>
        event('product.added', given, by, service.clock.now()),
      );
    },
    async license(slug, order, mode) {
      const [key] = await issue(slug, order, mode);
      if (key === undefined) throw new Error('No license was issued.');
      return key;
    },
    activate: (key, domain) => sent('/activate', { license_key: key, domain }),
    verify: (key, domain) => service.send(`/verify?${new URLSearchParams({ license_key: key, domain })}`),
    licenseNow: async (key, mode = 'live') => good(await licenses.show(key, { actor: operator, mode })),
  };
}
