import { expect } from 'chai';
import { createSqlUnprovenDomains } from '../../../adapters/sql/stores/unproven-domains.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { withParts } from '../../bench/seed.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { domain, must } from '../../support/license-acts.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { sqlKinds } from '../../support/sql-databases.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`the unproven domains of a license with very many: ${name}`, () => {
    itLong('are compared as far as a bounded part of an index goes', async () => {
      const place = await make();
      await withParts(place.url, async (parts) => {
        const product = good(await (await parts.get(t.products)).add({ title: 'Dex', ownerId: null }, operator));
        const terms = { productId: product.id, maxDomains: 5, expiresAt: null };
        const licenseKey = must(good(await (await parts.get(t.issuing)).issue(terms, 1, operator))[0]);
        const licensing = await parts.get(t.licensing);
        for (const host of ['c.com', 'b.com', 'a.com'])
          good(await licensing.activate({ licenseKey, domain: domain(host) }));
        await licensing.verify({ licenseKey, domain: domain('b.com') });
        const database = await parts.get(t.database);
        const found = (most?: number) => createSqlUnprovenDomains(database, most).leastVerified(licenseKey);
        expect([await found(), await found(2), await found(1)]).to.deep.equal(['c.com', 'a.com', 'a.com']);
      }).finally(() => place.remove());
    });
  });
}
