import { expect } from 'chai';
import { createManualClock } from '../../../../adapters/node/manual-clock.ts';
import { openService } from '../../../../apps/server/open-service.ts';
import { compose } from '../../../../apps/wiring/compose.ts';
import { readConfig } from '../../../../apps/wiring/config.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { ProductTerms } from '../../../../core/marketplace/product-terms.ts';
import { refuse } from '../../../../core/refusal.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { createHttpClient } from '../../../support/http-client.ts';
import { addProduct } from '../../../support/license-acts.ts';

const settings = {
  TRUSTED_PROXIES: 'loopback',
  LOG_LEVEL: 'silent',
  DATABASE_URL: 'memory:',
  FILES_URL: 'temporary:',
  PORT: '0',
};
const start = Date.UTC(2026, 0, 1);
const hosts = { localHostsAreFree: false, previewHosts: [], wwwIsApex: true };

/** A service whose lookups are those of the test: `published` are the hosts that have the text. */
async function startWithRules(terms: Partial<ProductTerms>, maxDomains = 1) {
  const clock = createManualClock(start);
  const service = await openService(readConfig(settings), (config) => compose(config, { clock }), 'localhost');
  const { parts } = service;
  const published = new Set<string>();
  const looked: string[] = [];
  const networks: string[] = [];
  const state = { isBusy: false };
  Object.assign(await parts.get(t.domainProofs), {
    async find(_: LicenseKey, domain: string, from: string) {
      looked.push(domain);
      networks.push(from);
      if (state.isBusy) return refuse('rate_limit_exceeded', undefined, { retry_after: 5 });
      return published.has(domain) ? 'found' : { record: 'nothing', file: 'nothing' };
    },
  });
  const all = { hosts, duration: null, ...terms };
  const productId = await addProduct(await parts.get(t.productStore), 'Jar', all);
  const issuing = await parts.get(t.issuing);
  const [key = ''] = good(await issuing.issue({ productId, maxDomains, expiresAt: null }, 1, operator));
  const http = createHttpClient(`http://localhost:${service.port}`);
  const act = (operation: string, domain: string) => http.post(`/${operation}`, { license_key: key, domain });
  return {
    ...{ clock, published, looked, networks, state, key, http },
    activate: (domain: string) => act('activate', domain),
    deactivate: (domain: string) => act('deactivate', domain),
    isValid: async (domain: string) => (await http.get('/verify', { license_key: key, domain })).body.valid,
    [Symbol.asyncDispose]: () => service.close(0),
  };
}

describe('slots for proven domains', () => {
  it('are taken and freed by the key alone unless the product says otherwise, and nothing is looked up', async () => {
    await using service = await startWithRules({});
    const { key } = service;
    expect((await service.activate('a.example')).body).to.deep.equal({
      ...{ success: true, message: 'The license is activated on a.example.', domain: 'a.example', license_key: key },
    });
    expect([
      (await service.activate('b.example')).status,
      (await service.deactivate('a.example')).status,
    ]).to.deep.equal([...[422, 200]]);
    expect(service.looked).to.deep.equal([]);
  });

  describe('that always need a proof', () => {
    it('are refused with 403, which says what to publish. Then they are taken', async () => {
      await using service = await startWithRules({ domainProof: 'always' });
      const refused = await service.activate('https://www.A.example/');
      expect([refused.status, refused.body.success, refused.body.error]).to.deep.equal([
        403,
        false,
        'domain_not_proven',
      ]);
      expect(refused.body.message).to.match(
        /publish the text lk=[\w-]{43} as a TXT record of _latchkey\.a\.example or as a line of https:\/\/a\.example\/\.well-known\/latchkey\.txt/,
      );
      expect(await service.isValid('a.example')).to.equal(false);
      service.published.add('a.example');
      expect((await service.activate('a.example')).body.message).to.equal('The license is activated on a.example.');
      expect(await service.isValid('www.a.example')).to.equal(true);
      expect((await service.activate('a.example')).status).to.equal(200);
      expect(service.looked).to.deep.equal(['a.example', 'a.example']);
    });

    it('are refused to hosts that nobody can prove, without a lookup', async () => {
      await using service = await startWithRules({ domainProof: 'always' });
      for (const host of ['localhost', '8.8.8.8', '[2001:db8::1]', 'shop.test']) {
        const { status, body } = await service.activate(host);
        expect([status, body.error], host).to.deep.equal([403, 'domain_not_proven']);
        expect(body.message).to.match(/cannot be proven/);
      }
      expect(service.looked).to.deep.equal([]);
    });

    it('are full as ever, without a lookup', async () => {
      await using service = await startWithRules({ domainProof: 'always' });
      service.published.add('a.example');
      await service.activate('a.example');
      expect((await service.activate('b.example')).body.error).to.equal('domain_limit_reached');
      expect(service.looked).to.deep.equal(['a.example']);
    });

    it('are refused with 429 and Retry-After while too many proofs are looked up', async () => {
      await using service = await startWithRules({ domainProof: 'always' });
      service.state.isBusy = true;
      const { status, body, headers } = await service.activate('a.example');
      expect([status, body.error, headers.get('Retry-After')]).to.deep.equal([429, 'rate_limit_exceeded', '5']);
    });
  });

  describe('that proven domains take', () => {
    it('are those of the domain that was verified least recently', async () => {
      await using service = await startWithRules({ domainProof: 'to_take' }, 3);
      for (const host of ['a.example', 'b.example', 'c.example']) await service.activate(host);
      for (const host of ['b.example', 'a.example', 'c.example']) {
        service.clock.advance(1_000);
        expect(await service.isValid(host)).to.equal(true);
      }
      const refused = await service.activate('d.example');
      expect([refused.status, refused.body.error]).to.deep.equal([422, 'domain_limit_reached']);
      expect(refused.body.message).to.match(/maximum number of domains\..*_latchkey\.d\.example/);
      service.published.add('d.example');
      expect((await service.activate('d.example')).status).to.equal(200);
      const valid = await Promise.all(['a', 'b', 'c', 'd'].map((name) => service.isValid(`${name}.example`)));
      expect(valid).to.deep.equal([true, false, true, true]);
    });

    it('are not those of proven domains, and a domain can be proven when it is activated already', async () => {
      await using service = await startWithRules({ domainProof: 'to_take' });
      const first = await service.activate('a.example');
      expect([first.status, first.body.success]).to.deep.equal([200, true]);
      expect(first.body.message).to.match(
        /activated on a\.example\. The domain is not proven\. .*_latchkey\.a\.example/,
      );
      service.published.add('a.example').add('b.example');
      // A domain that is not proven is not looked up for each call.
      expect((await service.activate('a.example')).body.message).to.match(/not proven.*once a minute/);
      expect(service.looked).to.deep.equal(['a.example']);
      service.clock.advance(60_000);
      expect((await service.activate('a.example')).body.message).to.equal('The license is activated on a.example.');
      const { status, body } = await service.activate('b.example');
      expect([status, body.error]).to.deep.equal([422, 'domain_limit_reached']);
      expect(await service.isValid('a.example')).to.equal(true);
    });

    it('are not waited for where a proof is not needed', async () => {
      await using service = await startWithRules({ domainProof: 'to_take' });
      service.state.isBusy = true;
      expect((await service.activate('a.example')).status).to.equal(200);
      expect((await service.activate('b.example')).status).to.equal(429);
    });
  });

  it('are proven for the network of the caller, also by clients of other systems', async () => {
    await using service = await startWithRules({ domainProof: 'always', deactivation: 'proof' }, 5);
    const { key, http } = service;
    const from = { 'X-Forwarded-For': '2001:db8:1:2:3::4' };
    const form = (fields: Record<string, string>) => ({
      method: 'POST',
      headers: from,
      body: new URLSearchParams(fields),
    });
    const json = { 'Content-Type': 'application/json', ...from };
    const body = JSON.stringify({ license_key: key, domain: 'a.example' });
    await http.send('/activate', { method: 'POST', headers: json, body });
    const lemon = form({ license_key: key, instance_name: 'a.example' });
    expect((await http.send('/v1/licenses/activate', lemon)).status).to.equal(400);
    const edd = form({ edd_action: 'activate_license', license: key, item_id: '73', url: 'https://a.example/' });
    expect((await http.send('/edd/', edd)).body).to.include({ success: false, license: 'invalid' });
    const slm = form({
      ...{ slm_action: 'slm_activate', license_key: key },
      ...{ secret_key: '5f8.1', registered_domain: 'a.example' },
    });
    expect((await http.send('/slm', slm)).body).to.include({ result: 'error', error_code: 120 });
    expect(service.networks).to.have.lengthOf(4);
    expect(new Set(service.networks).size).to.equal(1);
    expect(service.networks[0]).to.match(/^2001:db8:1:2:.*\/64$/);
    // While too many are looked up, no client may take the answer for the end of its license.
    service.state.isBusy = true;
    for (const [path, sent] of [
      ['/edd/', edd],
      ['/slm', slm],
    ] as const) {
      const { status, body, headers } = await http.send(path, sent);
      expect([status, headers.get('Retry-After')], path).to.deep.equal([429, '5']);
      expect(body).to.not.have.any.keys('license', 'error_code');
    }
    service.published.add('a.example');
    service.state.isBusy = false;
    expect((await http.send('/activate', { method: 'POST', headers: json, body })).status).to.equal(200);
    await http.send('/deactivate', { method: 'POST', headers: json, body });
    expect(new Set(service.networks).size).to.equal(1);
  });

  describe('that the key alone does not free', () => {
    it('are freed with a proof', async () => {
      await using service = await startWithRules({ deactivation: 'proof' });
      await service.activate('a.example');
      expect((await service.deactivate('x.example')).body.error).to.equal('domain_not_found');
      const { status, body } = await service.deactivate('www.a.example');
      expect([status, body.error]).to.deep.equal([403, 'domain_not_proven']);
      expect(body.message).to.match(/TXT record of _latchkey\.a\.example/);
      service.state.isBusy = true;
      expect((await service.deactivate('a.example')).status).to.equal(429);
      service.state.isBusy = false;
      service.published.add('a.example');
      expect((await service.deactivate('a.example')).status).to.equal(200);
      expect(await service.isValid('a.example')).to.equal(false);
    });

    it('are freed by the buyer and the seller only', async () => {
      await using service = await startWithRules({ deactivation: 'holder' });
      await service.activate('a.example');
      const { status, body } = await service.deactivate('a.example');
      expect([status, body.error]).to.deep.equal([403, 'deactivation_not_allowed']);
      expect(body.message).to.match(/buyer can, on the page of the order/);
      expect(await service.isValid('a.example')).to.equal(true);
    });

    it('are freed once in some hours', async () => {
      await using service = await startWithRules({ deactivation: 'cool_down', coolDownHours: 2 }, 2);
      await service.activate('a.example');
      await service.activate('b.example');
      expect((await service.deactivate('a.example')).status).to.equal(200);
      const { status, body, headers } = await service.deactivate('b.example');
      expect([status, body.error, headers.get('Retry-After')]).to.deep.equal([409, 'deactivation_too_soon', '7200']);
      service.clock.advance(2 * 3_600_000);
      expect((await service.deactivate('b.example')).status).to.equal(200);
    });

    it('are not freed by clients of other systems either', async () => {
      await using service = await startWithRules({ deactivation: 'holder' });
      const { key, http } = service;
      await service.activate('a.example');
      const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });
      const { instance } = (
        await http.send('/v1/licenses/activate', form({ license_key: key, instance_name: 'a.example' }))
      ).body;
      const lemon = await http.send('/v1/licenses/deactivate', form({ license_key: key, instance_id: instance.id }));
      expect([lemon.status, lemon.body.deactivated]).to.deep.equal([400, false]);
      expect(lemon.body.error).to.match(/buyer can, on the page of the order/);
      const edd = await http.send(
        '/edd/',
        form({ edd_action: 'deactivate_license', license: key, item_id: '73', url: 'https://a.example/' }),
      );
      expect(edd.body).to.include({ success: false, license: 'failed' });
      const secret = { secret_key: '5f8.1', registered_domain: 'a.example' };
      const slm = await http.send('/slm', form({ slm_action: 'slm_deactivate', license_key: key, ...secret }));
      expect(slm.body).to.include({ result: 'error', error_code: 120 });
      expect(slm.body.message).to.match(/buyer can, on the page of the order/);
      expect(await service.isValid('a.example')).to.equal(true);
    });
  });
});
