import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createIssuing } from '../../core/licensing/issuing.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { backends, openForAll } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { addProduct, issuedAt, must } from '../support/license-acts.ts';
import { compare, compareEvents, licenseCommands, type Model, type Real, terms } from '../support/license-model.ts';
import { sharedBackends } from '../support/shared-backends.ts';

/** Few runs, because each commit that waits for the disk takes 1 or 2 ms. */
const numRuns = 45;

for (const backend of [...backends, ...sharedBackends]) {
  describe(`a license and its model: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let start = issuedAt;
    let product: Real['product'];

    before(async () => {
      const id = await addProduct(stores.products);
      product = { id, title: 'Tip Jar', slug: 'tip-jar' };
    });

    it('matches the model in every response, status and count', async () => {
      await fc.assert(
        fc.asyncProperty(terms, licenseCommands(30), async ({ slots, lasts, siblings }, commands) => {
          const now = start++;
          const clock = createManualClock(now);
          const licensing = createLicensing(stores.licenses, clock);
          const issuing = createIssuing(stores.licenses, stores.imports, clock, systemSecrets);
          const end = lasts === null ? null : now + lasts;
          const given = { productId: product.id, maxDomains: slots, expiresAt: end };
          const keys = await issuing.issue(given, siblings + 1, by);
          const key = must(keys.at(-1));
          const real: Real = { licensing, issuing, audit: stores.audit, clock, key, product, issuedAt: now };
          const model: Model = {
            now,
            standing: 'good',
            slots,
            end,
            sites: [],
            count: 0,
            last: null,
            events: [`${now} license.issued by ${by.actor}`],
          };
          await compare(model, real);
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await compareEvents(model, real);
          for (const sibling of keys.slice(0, -1)) {
            expect(await licensing.status(sibling)).to.include({ domainsUsed: 0, expiresAt: end });
          }
        }),
        { numRuns },
      );
    });
  });
}
