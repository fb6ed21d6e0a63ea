import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { removeEnded } from '../../core/licensing/ended-domains.ts';
import { createIssuing } from '../../core/licensing/issuing.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { createLicenseDomains } from '../../core/selling/licenses.ts';
import { day } from '../../core/time.ts';
import { backends, openForAll } from '../support/backends.ts';
import { by, operator } from '../support/by.ts';
import { withoutProofs } from '../support/domain-proofs.ts';
import { good } from '../support/good.ts';
import { addProduct, issuedAt, must } from '../support/license-acts.ts';
import {
  compare,
  compareEvents,
  hostsOf,
  licenseCommands,
  type Model,
  movesPerMonth,
  type Real,
  terms,
} from '../support/license-model.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

/** Few runs, because each commit that waits for the disk takes 1 or 2 ms. */
const numRuns = runs(45);

for (const backend of [...backends, ...sharedBackends]) {
  describe(`a license and its model: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let start = issuedAt;
    const products = new Map<string, Real['product']>();

    before(async () => {
      for (const isWwwSame of [false, true]) {
        for (const areOthersFree of [false, true]) {
          const options = { isWwwSame, areOthersFree };
          const title = `Jar ${products.size}`;
          const id = await addProduct(stores.products, title, { hosts: hostsOf(options), movesPerMonth });
          products.set(JSON.stringify(options), { id, title, slug: `jar-${products.size}` });
        }
      }
    });

    it('matches the model in every response, status and count', async () => {
      await fc.assert(
        fc.asyncProperty(terms, licenseCommands(30), async (wanted, commands) => {
          const { slots, lasts, days, options, siblings, entitlements } = wanted;
          const now = start++;
          const clock = createManualClock(now);
          const licensing = createLicensing({
            store: stores.licenses,
            aliases: stores.aliases,
            ...withoutProofs,
            clock,
          });
          const issuing = createIssuing({
            store: stores.licenses,
            imports: stores.imports,
            products: stores.products,
            clock,
            secrets: systemSecrets,
          });
          const removeAll = () => removeEnded(stores.licenses, clock, () => true);
          const { isWwwSame, areOthersFree } = options;
          const product = must(products.get(JSON.stringify({ isWwwSame, areOthersFree })));
          const end = lasts === null || days !== null ? null : now + lasts;
          const together = days === null ? end : now + days * day;
          const updates = { all: null, together, own: now + 7_654_321 }[wanted.updates];
          const rights = { updatesUntil: updates, entitlements };
          const given = {
            productId: product.id,
            maxDomains: slots,
            expiresAt: end,
            daysFromActivation: days,
            ...rights,
          };
          const keys = good(await issuing.issue(given, siblings + 1, operator));
          const key = must(keys.at(-1));
          const domains = createLicenseDomains({ store: stores.licenses, clock });
          const service = { licensing, issuing, domains, removeEnded: removeAll, audit: stores.audit, clock };
          const real: Real = { ...service, key, product, issuedAt: now };
          const model: Model = {
            now,
            standing: 'good',
            slots,
            options,
            end,
            days,
            updates,
            endTogether: wanted.updates === 'together',
            entitlements,
            sites: [],
            moves: new Map(),
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
