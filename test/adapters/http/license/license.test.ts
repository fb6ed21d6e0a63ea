import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { type Service, startService } from './license-service.ts';

const day = 86_400_000;

for (const prefix of ['', '/api/license']) {
  describe(`license API at ${prefix || '/'}`, () => {
    let service: Service;
    const at = (operation: string) => `${prefix}/${operation}`;

    before(async () => {
      service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    });
    after(() => service.close());

    const activate = (license_key: string, domain: string) => service.post(at('activate'), { license_key, domain });
    const deactivate = (license_key: string, domain: string) => service.post(at('deactivate'), { license_key, domain });
    const verify = (license_key: string, domain: string) => service.get(at('verify'), { license_key, domain });
    const status = (license_key: string) => service.get(at('status'), { license_key });

    /** Issues a license and gives it this status. `a.com` was activated while the license was still active. */
    async function licenseThatIs(state: 'suspended' | 'revoked' | 'expired') {
      const key = await service.license({ expiresAt: state === 'expired' ? service.clock.now() + day : null });
      await activate(key, 'a.com');
      if (state === 'suspended') await service.issuing.change(key, 'suspend', operator);
      if (state === 'revoked') await service.issuing.change(key, 'revoke', operator);
      if (state === 'expired') service.clock.advance(day);
      return key;
    }

    describe('POST /activate', () => {
      it('200 with the normalized domain and the canonical key', async () => {
        const key = await service.license();
        const answer = await activate(` ${key.toLowerCase()}\n`, 'HTTPS://user@Example.COM:8080/path/?q#f');
        expect(answer.status).to.equal(200);
        expect(answer.body).to.have.all.keys('success', 'message', 'domain', 'license_key');
        expect(answer.body).to.include({ success: true, domain: 'example.com', license_key: key });
        expect(answer.headers.get('cache-control')).to.equal('no-store');
      });

      it('200 with the same answer for a domain that is activated already, which takes no second slot', async () => {
        const key = await service.license();
        const first = await activate(key, 'a.com');
        const second = await activate(key, 'http://A.com/');
        expect(second.body).to.deep.equal(first.body);
        expect((await status(key)).body.license.domains).to.have.length(1);
      });

      it('404 invalid_key', async () => {
        const answer = await activate('LIC-0000-0000-0000-0001', 'a.com');
        expect(answer.status).to.equal(404);
        expect(answer.body).to.have.all.keys('success', 'error', 'message');
        expect(answer.body).to.include({ success: false, error: 'invalid_key' });
      });

      it('422 domain_limit_reached when every slot is taken', async () => {
        const key = await service.license({ maxDomains: 2 });
        await activate(key, 'a.com');
        await activate(key, 'b.com');
        const answer = await activate(key, 'c.com');
        expect(answer.status).to.equal(422);
        expect(answer.body).to.include({ success: false, error: 'domain_limit_reached' });
      });

      for (const state of ['suspended', 'revoked', 'expired'] as const) {
        it(`422 ${state}, also for an activated domain and at the domain limit`, async () => {
          const key = await licenseThatIs(state);
          for (const domain of ['a.com', 'b.com']) {
            const answer = await activate(key, domain);
            expect(answer.status).to.equal(422);
            expect(answer.body).to.include({ success: false, error: state });
          }
        });
      }
    });

    describe('GET /verify', () => {
      it('200 valid with a null expiry for a perpetual license', async () => {
        const key = await service.license();
        await activate(key, 'a.com');
        const answer = await verify(key, 'https://A.com/x');
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({
          valid: true,
          license: { expires_at: null, updates_until: null, entitlements: [] },
        });
        expect(answer.headers.get('cache-control')).to.equal('private, no-cache');
      });

      it('200 valid with the expiry of a license that expires', async () => {
        const expiresAt = service.clock.now() + 30 * day;
        const key = await service.license({ expiresAt });
        await activate(key, 'a.com');
        expect((await verify(key, 'a.com')).body.license.expires_at).to.equal(new Date(expiresAt).toISOString());
      });

      it('200 valid with updates and entitlements', async () => {
        const updatesUntil = service.clock.now() + 30 * day;
        const key = await service.license({ updatesUntil, entitlements: ['pro', 'team'] });
        await activate(key, 'a.com');
        const wanted = { expires_at: null, updates_until: new Date(updatesUntil).toISOString() };
        for (let times = 0; times < 2; times++) {
          const { body } = await verify(key, 'a.com');
          expect(body).to.deep.equal({ valid: true, license: { ...wanted, entitlements: ['pro', 'team'] } });
        }
      });

      it('200 not_entitled only if the entitlement is asked for, and nothing else is wrong', async () => {
        const key = await service.license({ entitlements: ['pro'] });
        await activate(key, 'a.com');
        const asked = (entitlement: string, domain = 'a.com') =>
          service.get(at('verify'), { license_key: key, domain, entitlement });
        expect((await asked(' PRO ')).body).to.deep.include({ valid: true });
        const { status, body } = await asked('team');
        expect([status, body.valid, body.error]).to.deep.equal([200, false, 'not_entitled']);
        expect((await asked('team', 'b.com')).body.error).to.equal('invalid_domain');
        expect((await verify(key, 'a.com')).body.valid).to.equal(true);
        for (const wrong of ['', 'a b', '-', 'x'.repeat(41)]) {
          const refused = await asked(wrong);
          expect([refused.status, refused.body.error], wrong).to.deep.equal([422, 'validation_error']);
          expect(Object.keys(refused.body.errors)).to.deep.equal(['entitlement']);
        }
      });

      it('404 invalid_key', async () => {
        for (const key of ['LIC-0000-0000-0000-0001', 'nonsense', 'LIC-\u0000']) {
          const answer = await verify(key, 'a.com');
          expect(answer.status).to.equal(404);
          expect(answer.body).to.include({ valid: false, error: 'invalid_key' });
          expect(answer.body).to.not.have.property('success');
          expect(answer.headers.get('cache-control')).to.equal('no-store');
        }
      });

      it('200 invalid_domain', async () => {
        const key = await service.license();
        await activate(key, 'a.com');
        const answer = await verify(key, 'www.a.com');
        expect(answer.status).to.equal(200);
        expect(answer.body).to.include({ valid: false, error: 'invalid_domain' });
      });

      for (const state of ['suspended', 'revoked', 'expired'] as const) {
        it(`200 ${state}, whether the domain is activated or not`, async () => {
          const key = await licenseThatIs(state);
          for (const domain of ['a.com', 'b.com']) {
            const answer = await verify(key, domain);
            expect(answer.status).to.equal(200);
            expect(answer.body).to.include({ valid: false, error: state });
          }
        });
      }

      it('422 with valid: false if a parameter is missing', async () => {
        const answer = await service.get(at('verify'), { domain: ' ' });
        expect(answer.status).to.equal(422);
        expect(answer.body).to.include({ valid: false, error: 'validation_error' });
        expect(answer.body.errors).to.have.all.keys('license_key', 'domain');
      });
    });

    describe('POST /deactivate', () => {
      it('200 in every status, and the next verification fails', async () => {
        const active = await service.license();
        await activate(active, 'a.com');
        const keys = [active];
        for (const state of ['suspended', 'revoked', 'expired'] as const) keys.push(await licenseThatIs(state));
        for (const key of keys) {
          const answer = await deactivate(key, 'http://a.com:1/');
          expect(answer.status).to.equal(200);
          expect(answer.body).to.have.all.keys('success', 'message', 'domain', 'license_key');
          expect(answer.body).to.include({ success: true, domain: 'a.com', license_key: key });
        }
        expect((await verify(active, 'a.com')).body).to.include({ valid: false, error: 'invalid_domain' });
      });

      it('404 invalid_key', async () => {
        const answer = await deactivate('LIC-0000-0000-0000-0001', 'a.com');
        expect(answer.status).to.equal(404);
        expect(answer.body).to.include({ success: false, error: 'invalid_key' });
      });

      it('422 domain_not_found for a domain that was never activated, or is no longer', async () => {
        const key = await service.license();
        await activate(key, 'a.com');
        await deactivate(key, 'a.com');
        for (const domain of ['a.com', 'b.com']) {
          const answer = await deactivate(key, domain);
          expect(answer.status).to.equal(422);
          expect(answer.body).to.include({ success: false, error: 'domain_not_found' });
        }
      });
    });

    describe('GET /status', () => {
      it('200 with every field, and with the newest domain first', async () => {
        const key = await service.license({ maxDomains: 3, expiresAt: service.clock.now() + 30 * day });
        const created_at = new Date(service.clock.now()).toISOString();
        const expires_at = new Date(service.clock.now() + 30 * day).toISOString();
        await activate(key, 'a.com');
        service.clock.advance(1000);
        const activated_at = new Date(service.clock.now()).toISOString();
        await activate(key, 'b.com');
        await verify(key, 'a.com');
        await verify(key, 'b.com');
        service.clock.advance(1000);
        await verify(key, 'a.com');
        const last_verified_at = new Date(service.clock.now()).toISOString();
        const answer = await status(key.toLowerCase());
        expect(answer.status).to.equal(200);
        const b = { domain: 'b.com', activated_at, verification_count: 1, last_verified_at: activated_at };
        const a = { domain: 'a.com', activated_at: created_at, verification_count: 2, last_verified_at };
        expect(answer.body).to.deep.equal({
          success: true,
          license: {
            key,
            status: 'active',
            product: { id: 1, title: 'Sample DEX', slug: 'sample-dex' },
            domain: b,
            domains: [b, a],
            domains_without_slot: [],
            domains_used: 2,
            max_domains: 3,
            verification_count: 3,
            last_verified_at,
            expires_at,
            updates_until: null,
            entitlements: [],
            created_at,
          },
        });
      });

      it('200 with only the 100 newest domains, but with the totals over all domains', async () => {
        const key = await service.license({ maxDomains: 1_000 });
        for (let n = 1; n <= 102; n++) await activate(key, `d${n}.com`);
        for (const domain of ['d1.com', 'd2.com', 'd102.com']) await verify(key, domain);
        const { license } = (await status(key)).body;
        const newest = Array.from({ length: 100 }, (_, n) => `d${102 - n}.com`);
        expect(license.domains.map(({ domain }: { domain: string }) => domain)).to.deep.equal(newest);
        expect(license.domain).to.deep.equal(license.domains[0]);
        expect(license).to.include({ domains_used: 102, verification_count: 3 });
      });

      it('200 with null for the domain and the times of an unused license', async () => {
        const answer = await status(await service.license());
        expect(answer.body.license).to.include({
          domain: null,
          verification_count: 0,
          last_verified_at: null,
          expires_at: null,
        });
      });

      for (const state of ['suspended', 'revoked', 'expired'] as const) {
        it(`200 for a license that is ${state}`, async () => {
          const answer = await status(await licenseThatIs(state));
          expect(answer.status).to.equal(200);
          expect(answer.body.license.status).to.equal(state);
          expect(answer.body.license.domain.domain).to.equal('a.com');
        });
      }

      it('keeps the total when a domain is deactivated and activated again; the domain itself starts at 0', async () => {
        const key = await service.license();
        await activate(key, 'a.com');
        await verify(key, 'a.com');
        await deactivate(key, 'a.com');
        await activate(key, 'a.com');
        const { license } = (await status(key)).body;
        expect(license.domain).to.include({ verification_count: 0, last_verified_at: null });
        expect(license.verification_count).to.equal(1);
        expect(license.last_verified_at).to.be.a('string');
      });

      it('404 invalid_key', async () => {
        const answer = await status('LIC-0000-0000-0000-0001');
        expect(answer.status).to.equal(404);
        expect(answer.body).to.include({ success: false, error: 'invalid_key' });
      });
    });

    describe('invalid input', () => {
      for (const domain of ['*.example.com', 'mailto:a@b.com', 'javascript:alert(1)', 'data:text/html,x']) {
        it(`422 for ${domain}, which is not a host, on activate, verify and deactivate`, async () => {
          const key = await service.license();
          for (const answer of [
            await activate(key, domain),
            await verify(key, domain),
            await deactivate(key, domain),
          ]) {
            expect(answer.status).to.equal(422);
            expect(answer.body).to.include({ error: 'validation_error' });
            expect(answer.body.errors).to.have.all.keys('domain');
          }
          expect((await status(key)).body.license.domains_used).to.equal(0);
        });
      }

      for (const operation of ['activate', 'deactivate']) {
        it(`422 validation_error on ${operation} names every field that is wrong`, async () => {
          for (const body of [{}, '', { license_key: 1, domain: ['x'] }, { license_key: ' ', domain: 'a..b' }]) {
            const answer = await service.post(at(operation), body);
            expect(answer.status, JSON.stringify(body)).to.equal(422);
            expect(answer.body).to.include({ success: false, error: 'validation_error' });
            expect(answer.body.errors).to.have.all.keys('license_key', 'domain');
            expect(answer.body.errors.domain).to.be.an('array').that.is.not.empty;
          }
        });

        it(`422 on ${operation} for parameters that are too long`, async () => {
          const answer = await service.post(at(operation), { license_key: 'L'.repeat(129), domain: 'a'.repeat(2049) });
          expect(answer.status).to.equal(422);
          expect(answer.body.errors).to.have.all.keys('license_key', 'domain');
        });

        it(`400 bad_request on ${operation} for a body that is not a JSON object`, async () => {
          for (const body of ['{"license_key":', '[1]', 'null', '"x"', '{"__proto__":{"a":1}}x']) {
            const answer = await service.post(at(operation), body);
            expect(answer.status, body).to.equal(400);
            expect(answer.body).to.include({ success: false, error: 'bad_request' });
          }
        });

        it(`413 payload_too_large on ${operation} over 64 KiB`, async () => {
          const answer = await service.post(at(operation), { license_key: 'x', domain: 'a'.repeat(65_536) });
          expect(answer.status).to.equal(413);
          expect(answer.body).to.include({ success: false, error: 'payload_too_large' });
        });

        it(`415 unsupported_media_type on ${operation}`, async () => {
          for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
            const answer = await service.post(at(operation), '{}', { 'Content-Type': type });
            expect(answer.status, type).to.equal(415);
            expect(answer.body).to.include({ success: false, error: 'unsupported_media_type' });
          }
        });

        it(`reads a body of any JSON type on ${operation}`, async () => {
          for (const type of ['application/json', 'application/merge-patch+json']) {
            const unknown = JSON.stringify({ license_key: 'x', domain: 'example.com' });
            const answer = await service.post(at(operation), unknown, { 'Content-Type': type });
            expect(answer.status, type).to.equal(404);
          }
        });
      }

      it('422 if a parameter is given twice', async () => {
        const answer = await service.send(`${at('status')}?license_key=a&license_key=b`);
        expect(answer.status).to.equal(422);
        expect(answer.body.errors).to.have.all.keys('license_key');
      });

      it('405 with Allow for every other verb, in the envelope of the operation', async () => {
        for (const [operation, method, allow] of [
          ['activate', 'GET', 'POST'],
          ['deactivate', 'DELETE', 'POST'],
          ['status', 'POST', 'GET, HEAD'],
          ['verify', 'PUT', 'GET, HEAD'],
          ['verify', 'PROPFIND', 'GET, HEAD'],
          ['verify', 'OPTIONS', 'GET, HEAD'],
        ] as const) {
          const answer = await service.send(at(operation), { method });
          expect(answer.status, `${method} ${operation}`).to.equal(405);
          expect(answer.headers.get('allow')).to.equal(allow);
          expect(answer.body.error).to.equal('method_not_allowed');
          expect(answer.body).to.have.property(operation === 'verify' ? 'valid' : 'success', false);
        }
      });

      it('404 not_found for an unknown path', async () => {
        const answer = await service.get(at('nothing'));
        expect(answer.status).to.equal(404);
        expect(answer.body).to.include({ success: false, error: 'not_found' });
      });

      it('answers HEAD like GET, without the body', async () => {
        const key = await service.license();
        const answer = await service.send(`${at('status')}?license_key=${key}`, { method: 'HEAD' });
        expect(answer.status).to.equal(200);
        expect(answer.text).to.equal('');
        expect(Number(answer.headers.get('content-length'))).to.be.greaterThan(100);
      });

      it('returns 200 or a clear 422 for hostile domains, never 500', async () => {
        const hostile = [
          'a b',
          'a%2fb',
          'a\\b',
          'ａ．com',
          '0x7f.1',
          '\u0000',
          '..',
          '[::1',
          'x'.repeat(2048),
          'é'.repeat(2048),
        ];
        const key = await service.license({ maxDomains: 100 });
        for (const domain of [
          ...hostile,
          'http://\ud800.com',
          '💩.la',
          '\u202e.com',
          '%',
          '%zz',
          'a:99999',
          '@',
          '//',
        ]) {
          const answer = await activate(key, domain);
          expect([200, 422], JSON.stringify(domain.slice(0, 40))).to.include(answer.status);
          if (answer.status === 422) expect(answer.body.errors).to.have.all.keys('domain');
          expect([200, 422]).to.include((await verify(key, domain)).status);
        }
      });
    });

    describe('browsers', () => {
      it('may call from any origin, without credentials, and may read the rate-limit headers', async () => {
        const answer = await service.get(at('status'), {}, { Origin: 'https://dapp.example' });
        expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
        expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
        expect(answer.headers.get('access-control-expose-headers')).to.include('X-RateLimit-Remaining,');
      });

      it('get a preflight answer for a JSON POST, valid for a day', async () => {
        const answer = await service.send(at('activate'), {
          method: 'OPTIONS',
          headers: {
            Origin: 'https://dapp.example',
            'Access-Control-Request-Method': 'POST',
            'Access-Control-Request-Headers': 'content-type',
          },
        });
        expect(answer.status).to.equal(204);
        expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
        expect(answer.headers.get('access-control-allow-methods')).to.include('POST');
        expect(answer.headers.get('access-control-allow-headers')).to.include('content-type');
        expect(answer.headers.get('access-control-max-age')).to.equal('86400');
      });
    });
  });
}
