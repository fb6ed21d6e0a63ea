import { expect } from 'chai';
import fc from 'fast-check';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { runs } from '../../../support/runs.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

/** Texts that occur nowhere by chance. Some of them need to be escaped in JSON and in HTML. */
const word = fc
  .tuple(fc.stringMatching(/^[a-z]{14}$/), fc.constantFrom('', '<b>', '"', '&', 'é', '東', '\\', '😀'))
  .map(([letters, sign]) => `${letters.slice(0, 7)}${sign}${letters.slice(7)}`);
const letters = fc.stringMatching(/^[a-z]{14}$/);

const notes = fc.record({
  holder: fc.record({ email: letters.map((name) => `${name}@example.com`), name: word }),
  reference: word,
  metadata: fc.dictionary(letters, word, { minKeys: 1, maxKeys: 3 }),
});

describe('what sellers note about a license', () => {
  let service: AccountService;
  let seller: Account;
  let slug: string;
  before(async () => {
    service = await startAccountService();
    seller = await service.account('pro');
    const { body } = await seller.submit('/api/marketplace/publish', listingForm());
    slug = body.product.slug;
    good(await (await service.parts.get(t.products)).change(slug, 'approve', operator));
  });
  after(() => service.close());

  const call = (path: string, body: object) =>
    service.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Every call of the license API for a license, in each of its forms, in an order in which all of them succeed. */
  async function callAll(key: string): Promise<string[]> {
    const texts: string[] = [];
    for (const prefix of ['', '/api/license']) {
      const query = new URLSearchParams({ license_key: key, domain: 'app.example.com' });
      for (const [answer, status] of [
        [await service.send(`${prefix}/verify?${query}`), undefined],
        [await call(`${prefix}/activate`, { license_key: key, domain: 'app.example.com' }), 200],
        [await call(`${prefix}/activate`, { license_key: key, domain: 'two.example.com' }), undefined],
        [await service.send(`${prefix}/verify?${query}`), 200],
        [await service.send(`${prefix}/status/${key}`), undefined],
        [await service.send(`${prefix}/status?${query}`), undefined],
        [await call(`${prefix}/deactivate`, { license_key: key, domain: 'app.example.com' }), 200],
      ] as const) {
        if (status !== undefined) expect(answer.status, answer.text).to.equal(status);
        texts.push(answer.text + JSON.stringify([...answer.headers]));
      }
    }
    return texts;
  }

  const pages = ['/', '/docs', '/openapi.json', '/sign-in', '/no-such-page'];

  it('never shows in the public license API or on public pages, and neither does the address of the seller', async () => {
    await fc.assert(
      fc.asyncProperty(notes, async (given) => {
        const issued = await seller.post('/api/licenses', { product: slug, max_domains: 1, ...given });
        expect(issued.status, issued.text).to.equal(200);
        const { key } = issued.body.data[0];
        const { text: own } = await seller.get(`/api/licenses/${key}`);
        const texts = await callAll(key);
        for (const page of [...pages, `/marketplace/${slug}`]) texts.push((await service.send(page)).text);
        const secrets = [
          given.holder.email.replace('@example.com', ''),
          given.holder.name,
          given.reference,
          ...Object.entries(given.metadata).flat(),
        ].flatMap((secret) => secret.match(/[a-z]{7,}/g) ?? []);
        expect(secrets.length).to.be.at.least(5);
        for (const secret of secrets) {
          expect(own).to.include(secret);
          for (const text of texts) expect(text).to.not.include(secret);
        }
        for (const text of texts) expect(text).to.not.include(seller.user.email);
      }),
      { numRuns: runs(40) },
    );
  });
});
