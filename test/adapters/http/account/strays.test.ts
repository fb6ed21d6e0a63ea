import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { itLong } from '../../../support/required-service.ts';
import type { Account } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';
import { type SellingService, startSellingService } from './selling-service.ts';

const hour = 3_600_000;
const foreign = ['https://www.copy.example.net/page', 'Copy.example.org', 'shop.vercel.app'];
const domains = ['example.net', 'example.org', 'shop.vercel.app'];

describe('strays', () => {
  let service: SellingService;
  let ada: Account;
  let eve: Account;
  let key: string;
  let product: number;
  beforeEach(async () => {
    service = await startSellingService({ TRUSTED_PROXIES: 'loopback' });
    ada = await service.account();
    eve = await service.account();
    product = Number((await addOwnProduct(service, 'jar', ada)).id);
    const { body } = await ada.post('/api/licenses', { product: 'jar', max_domains: 3 });
    key = body.data[0].key;
    await service.send('/activate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: key, domain: 'app.example.com' }),
    });
  });
  afterEach(() => service.close());

  const verify = (domain: string, licenseKey = key, from = '203.0.113.1') =>
    service.send(`/verify?${new URLSearchParams({ license_key: licenseKey, domain })}`, {
      headers: { 'X-Forwarded-For': from },
    });
  const store = async () => await (await service.parts.get(t.storeStrays))(() => true);
  const path = () => `/api/licenses/${key}/strays`;

  itLong(
    'are the foreign domains that ask for a license, by registrable domain, without those of its own hosts',
    async () => {
      for (const one of foreign) expect((await verify(one)).body.error).to.equal('invalid_domain');
      await service.send(
        `/api/license/verify?${new URLSearchParams({ license_key: key, domain: 'copy.example.net' })}`,
      );
      await verify('staging.example.com');
      await verify('app.example.com');
      await verify('copy.example.net', 'LIC-7H2K-9QWX-M4TB-C0VJ');
      expect(await store()).to.equal(1);
      const { body } = await ada.get(path());
      expect(body.success).to.equal(true);
      expect(body.data).to.deep.equal(
        domains.map((domain, n) => ({
          domain,
          calls: n === 0 ? 2 : 1,
          first_at: '2026-01-01T00:00:00.000Z',
          last_at: '2026-01-01T00:00:00.000Z',
        })),
      );
      expect(body.days).to.have.length(90);
      expect(body.days.at(-1)).to.deep.equal({ day: '2026-01-01T00:00:00.000Z', calls: 4 });
      const ofProduct = await ada.get(`/api/products/${product}/strays`);
      expect(ofProduct.body.data).to.deep.equal([{ license_key: key, calls: 4, domains: 3 }]);
      expect(await store()).to.equal(0);
    },
  );

  itLong('are shown to nobody else', async () => {
    await verify('copy.example.net');
    await store();
    for (const address of [path(), `/api/products/${product}/strays`]) {
      expect((await eve.get(address)).status).to.equal(404);
      expect((await service.send(address)).status).to.equal(401);
    }
    expect((await ada.get('/api/licenses/LIC-7H2K-9QWX-M4TB-C0VJ/strays')).status).to.equal(404);
  });

  it('are told to the seller once, by mail, notification and webhook, if a leak is suspected', async () => {
    await ada.post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['license.leak_suspected'] });
    for (let n = 0; n < 3; n++) {
      for (const [at, one] of foreign.entries())
        await verify(one, at === 0 ? key.toLowerCase() : key, `203.0.113.${at}`);
      await store();
      service.clock.advance(hour);
    }
    const kinds = (await service.rows('mails')).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'license-leak-suspected')).to.have.length(1);
    const notices = (await service.rows('notifications')).filter(({ kind }) => kind === 'license_leak_suspected');
    expect(notices).to.have.length(1);
    expect(JSON.parse(String(notices[0]?.data))).to.include({ licenseKey: key, domains: 3 });
    const [event, ...more] = await service.rows('webhook_events');
    expect(more).to.deep.equal([]);
    expect(JSON.parse(String(event?.body)).data).to.deep.include({ license_key: key, domains });
  });

  itLong('are not noted of calls that other reasons refuse, and one address makes ten rows at most', async () => {
    for (let n = 0; n < 300; n++) await verify(`made-up-${n}.example`);
    await store();
    const { body } = await ada.get(path());
    expect(body.data).to.have.length(10);
    expect(body.days.at(-1).calls).to.equal(300);
    await ada.post(`/api/licenses/${key}/suspend`, {});
    await verify('copy.example.net');
    expect((await service.parts.get(t.strayCounter)).isEmpty()).to.equal(true);
  });
});
