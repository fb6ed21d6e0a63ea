import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';

const path = '/api/licenses';
const day = 86_400_000;
const uuid = '38b1460a-5104-4067-a91d-77b872934d51';
const site = 'app.example.com';
const holder = { email: 'grace@example.com', name: 'Grace Hopper' };

describe('keys of licenses over the account API', () => {
  let service: AccountService;
  let ada: Account;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account();
    await addOwnProduct(service, 'jar', ada);
    key = await issue();
    await call('activate', key);
  });
  afterEach(() => service.close());

  async function issue(more: object = {}): Promise<LicenseKey> {
    const { body } = await ada.post(path, { product: 'jar', max_domains: 3, holder, ...more });
    return body.data[0].key;
  }

  const call = (operation: 'activate' | 'deactivate', licenseKey: string, domain = site) =>
    service.send(`/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: licenseKey, domain }),
    });
  const verify = (licenseKey: string, domain = site) =>
    service.send(`/verify?${new URLSearchParams({ license_key: licenseKey, domain })}`);
  const status = (licenseKey: string) => service.send(`/status?${new URLSearchParams({ license_key: licenseKey })}`);
  const addAlias = (to: string, value: string, more: object = {}) =>
    ada.post(`${path}/${to}/aliases`, { value, kind: 'lemonsqueezy', ...more });
  const rotate = (from: string, body: object = {}) => ada.post(`${path}/${from}/rotate`, body);
  const errorsOf = (answers: readonly Answer[]) => answers.map(({ body }) => body.error ?? 'none');

  describe('aliases', () => {
    itLong('let a site go on with the key of another system, in all four operations', async () => {
      expect((await addAlias(key, uuid)).status).to.equal(200);
      expect((await verify(uuid)).body.valid).to.equal(true);
      expect((await verify(` ${uuid.toUpperCase()} `)).body.valid).to.equal(true);
      const activated = await call('activate', uuid, 'blog.example.com');
      expect(activated.body).to.include({ success: true, domain: 'blog.example.com', license_key: uuid });
      const { license } = (await status(uuid)).body;
      expect([license.key, license.domains_used, license.verification_count]).to.deep.equal([key, 2, 2]);
      expect((await call('deactivate', uuid, 'blog.example.com')).body.license_key).to.equal(uuid);
      expect((await status(key)).body.license.domains_used).to.equal(1);
    });

    itLong('are listed with what is known of them, and removed', async () => {
      const until = new Date(service.clock.now() + day).toISOString();
      await addAlias(key, uuid, { valid_until: until });
      const { body } = await addAlias(key, 'Another-Key-1', { kind: 'other' });
      expect(
        body.data.map(({ kind, hint, valid_until }: Record<string, unknown>) => [kind, hint, valid_until]),
      ).to.deep.equal([
        ['lemonsqueezy', '38b1…51', until],
        ['other', 'An…1', null],
      ]);
      expect((await ada.get(`${path}/${key}/aliases`)).body).to.deep.equal(body);
      const removed = await ada.send(`${path}/${key}/aliases/${body.data[1].id}`, { method: 'DELETE' });
      expect(removed.body.data).to.deep.equal([body.data[0]]);
      expect((await verify('Another-Key-1')).body.error).to.equal('invalid_key');
      expect((await ada.send(`${path}/${key}/aliases/${body.data[1].id}`, { method: 'DELETE' })).status).to.equal(404);
    });

    itLong('are unknown after their end, with the same answer as texts that never were one', async () => {
      await addAlias(key, uuid, { valid_until: new Date(service.clock.now() + day).toISOString() });
      expect((await verify(uuid)).body.license.key_valid_until).to.equal(
        new Date(service.clock.now() + day).toISOString(),
      );
      service.clock.advance(day);
      const other = uuid.replace('38b1', '38b2');
      for (const [ended, unknown] of [
        [await verify(uuid), await verify(other)],
        [await status(uuid), await status(other)],
        [await call('activate', uuid), await call('activate', other)],
        [await call('deactivate', uuid), await call('deactivate', other)],
      ] as const) {
        expect(ended.body).to.deep.equal(unknown.body);
        expect(ended.status).to.equal(unknown.status);
      }
      const [{ id }] = (await ada.get(`${path}/${key}/aliases`)).body.data;
      expect((await addAlias(key, uuid)).status, 'the text is still taken').to.equal(409);
      await ada.send(`${path}/${key}/aliases/${id}`, { method: 'DELETE' });
      expect((await addAlias(key, uuid)).status).to.equal(200);
    });

    itLong('are refused if another license has them, if they are no keys, or if they have ended already', async () => {
      await addAlias(key, uuid);
      const second = await issue();
      const taken = await addAlias(second, uuid.toUpperCase(), { kind: 'edd' });
      expect([taken.status, taken.body.error.code]).to.deep.equal([409, 'CONFLICT']);
      for (const [body, field] of [
        [{ value: 'short' }, 'value'],
        [{ value: 'x'.repeat(129) }, 'value'],
        [{ value: second }, 'value'],
        [{ value: 'a hidden\u200bmark' }, 'value'],
        [{ value: 'a good key', kind: 'former' }, 'kind'],
        [{ value: 'a good key', valid_until: '2020-01-01' }, 'valid_until'],
      ] as const) {
        const refused = await ada.post(`${path}/${second}/aliases`, { kind: 'other', ...body });
        expect([refused.status, Object.keys(refused.body.error.fields)], JSON.stringify(body)).to.deep.equal([
          422,
          [field],
        ]);
      }
      for (let n = 0; n < 50; n++) expect((await addAlias(second, `key number ${n}`)).status).to.equal(200);
      expect((await addAlias(second, 'one too many')).status).to.equal(409);
    });
  });

  describe('a new key', () => {
    it('replaces the present one, which is valid for the overlap and then unknown', async () => {
      await verify(key);
      const { status: code, body } = await rotate(key, { overlap_days: 14, reason: 'Leaked.' });
      expect(code).to.equal(200);
      const fresh: string = body.license.key;
      expect(fresh).to.not.equal(key);
      const end = service.clock.now() + 14 * day;
      expect(body).to.include({ former_key: key, former_valid_until: new Date(end).toISOString() });
      const { license } = (await verify(key)).body;
      expect([license.key_valid_until, license.expires_at], 'no client keeps the answer for longer').to.deep.equal(
        Array(2).fill(body.former_valid_until),
      );
      expect((await status(key)).body.license.expires_at).to.equal(null);
      expect((await verify(fresh)).body.license).to.not.have.property('key_valid_until');
      expect((await status(fresh)).body.license).to.include({ verification_count: 3, domains_used: 1 });
      service.clock.advance(14 * day - 1);
      expect((await verify(key)).body.valid).to.equal(true);
      service.clock.advance(1);
      expect(
        errorsOf([await verify(key), await status(key), await call('activate', key), await call('deactivate', key)]),
      ).to.deep.equal(Array(4).fill('invalid_key'));
      expect((await verify(fresh)).body.valid).to.equal(true);
    });

    it('is never told to somebody who knows the former one', async () => {
      const { body } = await rotate(key, { overlap_days: 1 });
      const answers = [
        await verify(key),
        await status(key),
        await call('activate', key),
        await call('deactivate', key),
      ];
      for (const answer of answers) expect(JSON.stringify(answer.body)).to.not.include(body.license.key);
      expect(answers[1]?.body.license.key).to.equal(key);
      expect(answers[2]?.body.license_key).to.equal(key);
    });

    itLong('works at once alone, if nothing is said, and the former one can be ended before its time', async () => {
      const second = (await rotate(key)).body.license.key;
      expect((await verify(key)).body.error).to.equal('invalid_key');
      await rotate(second, { overlap_days: 30 });
      const third = (await ada.get(path)).body.data[0].key;
      const [former] = (await ada.get(`${path}/${third}/aliases`)).body.data;
      expect(former.kind).to.equal('former');
      await ada.send(`${path}/${third}/aliases/${former.id}`, { method: 'DELETE' });
      expect((await verify(second)).body.error).to.equal('invalid_key');
      // It is taken for ever.
      const again = await ada.send(`${path}/import`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body: `key,product\n${second},jar\n`,
      });
      expect(again.status).to.equal(422);
    });

    itLong('is in the history beside what happened under the former one', async () => {
      const fresh = (await rotate(key, { reason: 'Leaked.' })).body.license.key;
      const { body } = await ada.get(`${path}/${fresh}/events`);
      expect(body.data.map(({ type }: { type: string }) => type)).to.deep.equal([
        'license.rotated',
        'license.activated',
        'license.issued',
      ]);
      expect(body.data[0]).to.include({ reason: 'Leaked.' });
      expect((await ada.get(`${path}/${key}/events`)).status).to.equal(404);
    });

    itLong('is sent to the holder of a live license', async () => {
      const fresh = (await rotate(key, { overlap_days: 3 })).body.license.key;
      const mails = good(await (await service.parts.get(t.mails)).list({ limit: 9 }, operator));
      const [mail] = mails.filter(({ kind }) => kind === 'license-rotated');
      expect(mail?.to.address).to.equal(holder.email);
      const shown = good(await (await service.parts.get(t.mails)).show(String(mail?.id), operator));
      expect(JSON.stringify(shown)).to.include(fresh);
    });

    itLong(
      'is refused for a revoked license, too often in a day, and for an overlap of more than 30 days',
      async () => {
        expect((await rotate(key, { overlap_days: 31 })).status).to.equal(422);
        let present: string = key;
        for (let n = 0; n < 10; n++) present = (await rotate(present)).body.license.key;
        expect((await rotate(present)).body.error.code).to.equal('CONFLICT');
        service.clock.advance(day);
        await ada.post(`${path}/${present}/revoke`, {});
        expect((await rotate(present)).body.error.code).to.equal('CONFLICT');
      },
    );

    itLong('is made once for one idempotency key', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const first = await ada.post(`${path}/${key}/rotate`, {}, headers);
      const second = await ada.post(`${path}/${key}/rotate`, {}, headers);
      expect(second.body).to.deep.equal(first.body);
    });
  });
});
