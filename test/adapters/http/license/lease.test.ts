import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
} from 'jose';
import { t } from '../../../../apps/wiring/tokens.ts';
import { keyModes } from '../../../../core/accounts/api-key.ts';
import { createDomainChanges } from '../../../../core/licensing/domain-changes.ts';
import { by, operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { domain } from '../../../support/license-acts.ts';
import { type LeaseService, startLeaseService } from './lease-service.ts';

const hour = 3_600_000;
const day = 24 * hour;
const jwksPath = '/.well-known/latchkey-keys.json';

for (const prefix of ['', '/api/license']) {
  describe(`GET ${prefix}/lease`, () => {
    let service: LeaseService;
    before(async () => {
      service = await startLeaseService();
    });
    after(() => service.close());

    const lease = (license_key: string, domain = 'a.com', more: Record<string, string> = {}) =>
      service.get(`${prefix}/lease`, { license_key, domain, ...more });
    const change = async (key: string, transition: 'suspend' | 'revoke') =>
      good(await (await service.parts.get(t.issuing)).change(key as never, transition, operator));

    it('200 with a lease that jose verifies, and all its claims', async () => {
      const key = await service.license({ entitlements: ['pro'], updatesUntil: service.clock.now() + day });
      const answer = await lease(key.toLowerCase(), 'https://A.com:443/x');
      expect(answer.status).to.equal(200);
      expect(answer.body).to.have.all.keys('valid', 'lease', 'expires_at');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const { payload, protectedHeader } = await verifiedBy(service, answer.body.lease, 'a.com');
      const now = service.clock.now() / 1000;
      expect(protectedHeader).to.have.all.keys('alg', 'typ', 'kid');
      expect(protectedHeader).to.include({ alg: 'EdDSA', typ: 'latchkey-lease+jwt' });
      const { jti, ...rest } = payload;
      expect(jti).to.match(/^[\w-]{22}$/);
      expect(rest).to.deep.equal({
        iss: service.url,
        aud: 'a.com',
        sub: createHash('sha256').update(key).digest().subarray(0, 16).toString('base64url'),
        iat: now,
        nbf: now,
        exp: now + (7 * day) / 1000,
        product: service.productId,
        expires_at: null,
        updates_until: new Date(service.clock.now() + day).toISOString(),
        entitlements: ['pro'],
        v: 1,
      });
      expect(answer.body.expires_at).to.equal(new Date(service.clock.now() + 7 * day).toISOString());
    });

    it('200 counts as a verification', async () => {
      const key = await service.license();
      for (let n = 0; n < 3; n++) await lease(key);
      const { body } = await service.get('/status', { license_key: key });
      expect(body.license.verification_count).to.equal(3);
    });

    it('200 not_entitled, and valid with the entitlement that the license has', async () => {
      const key = await service.license({ entitlements: ['pro'] });
      expect((await lease(key, 'a.com', { entitlement: 'pro' })).body.valid).to.equal(true);
      const answer = await lease(key, 'a.com', { entitlement: 'export' });
      expect([answer.status, answer.body.valid, answer.body.error]).to.deep.equal([200, false, 'not_entitled']);
    });

    it('200 invalid_domain', async () => {
      const answer = await lease(await service.license(), 'b.com');
      expect([answer.status, answer.body.valid, answer.body.error]).to.deep.equal([200, false, 'invalid_domain']);
    });

    it('200 suspended and revoked, at once, also after a lease', async () => {
      for (const [transition, error] of [
        ['suspend', 'suspended'],
        ['revoke', 'revoked'],
      ] as const) {
        const key = await service.license();
        expect((await lease(key)).body.valid).to.equal(true);
        await change(key, transition);
        const answer = await lease(key);
        expect([answer.status, answer.body.error]).to.deep.equal([200, error]);
      }
    });

    it('200 expired', async () => {
      const key = await service.license({ expiresAt: service.clock.now() + hour });
      service.clock.advance(hour);
      const answer = await lease(key);
      expect([answer.status, answer.body.error]).to.deep.equal([200, 'expired']);
    });

    it('404 invalid_key, with the same body as verify', async () => {
      const answer = await lease('LIC-0000-0000-0000-0001');
      const verified = await service.get('/verify', { license_key: 'LIC-0000-0000-0000-0001', domain: 'a.com' });
      expect([answer.status, answer.body]).to.deep.equal([404, verified.body]);
    });

    it('422 validation_error', async () => {
      const answer = await service.get(`${prefix}/lease`, { license_key: 'x' });
      expect([answer.status, answer.body.valid, answer.body.error]).to.deep.equal([422, false, 'validation_error']);
    });

    it('405 method_not_allowed', async () => {
      expect((await service.post(`${prefix}/lease`, {})).status).to.equal(405);
    });
  });
}

describe('GET /lease with limits', () => {
  let service: LeaseService;
  before(async () => {
    service = await startLeaseService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '3' });
  });
  after(() => service.close());

  it('429 with the counter of verify', async () => {
    const query = { license_key: await service.license(), domain: 'a.com' };
    const statuses = [];
    for (const path of ['/lease', '/verify', '/api/license/lease', '/lease', '/verify']) {
      statuses.push((await service.get(path, query)).status);
    }
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
  });
});

describe('a lease', () => {
  let service: LeaseService;
  beforeEach(async () => {
    service = await startLeaseService();
  });
  afterEach(() => service.close());

  const lease = async (license_key: string, domain = 'a.com') => {
    const { body } = await service.get('/lease', { license_key, domain });
    return { ...(await verifiedBy(service, body.lease, domain)).payload, endsAt: Date.parse(body.expires_at) };
  };

  it('lasts as long as the seller says, and a change holds after a minute', async () => {
    await service.setHours(1);
    const key = await service.license();
    const first = await lease(key);
    expect(first.exp).to.equal(service.clock.now() / 1000 + 3_600);
    await service.setHours(8_760);
    service.clock.advance(60_000);
    expect((await lease(key)).exp).to.equal(service.clock.now() / 1000 + 8_760 * 3_600);
  });

  it('never ends after the license', async () => {
    const expiresAt = service.clock.now() + 90_500;
    const key = await service.license({ expiresAt });
    const { exp, expires_at, endsAt } = await lease(key);
    expect(exp).to.equal(Math.floor(expiresAt / 1000));
    expect([expires_at, endsAt]).to.deep.equal([new Date(expiresAt).toISOString(), 1000 * Number(exp)]);
  });

  it('ends with the key that was asked for, if that was replaced', async () => {
    const key = await service.license();
    const keys = (await service.parts.get(t.sellerLicenses)).keys;
    let newKey = '';
    for (const mode of keyModes) {
      const done = await keys.rotate(key, 2, { actor: operator, mode });
      if ('rotated' in done) newKey = done.shown.license.key;
    }
    const ends = service.clock.now() + 2 * day;
    const former = await lease(key);
    expect(former.exp).to.equal(ends / 1000);
    expect(former.expires_at).to.equal(new Date(ends).toISOString());
    const present = await lease(newKey);
    expect(present.exp).to.equal(service.clock.now() / 1000 + (7 * day) / 1000);
    expect(present.sub).not.to.equal(former.sub);
  });

  it('ends with the host, if that is being moved away', async () => {
    const key = await service.license();
    const changes = createDomainChanges(await service.parts.get(t.licenseStore), service.clock);
    good(await changes.move(key, { from: domain('a.com'), to: domain('b.com'), overlapHours: 1 }, by));
    expect((await lease(key)).exp).to.equal(service.clock.now() / 1000 + 3_600);
  });

  it('is signed once an hour for each domain, and again when a fact changes', async () => {
    const key = await service.license();
    await service.post('/activate', { license_key: key, domain: 'b.com' });
    const first = await lease(key);
    service.clock.advance(hour - 1_000);
    expect((await lease(key)).jti).to.equal(first.jti);
    expect((await lease(key, 'b.com')).jti).not.to.equal(first.jti);
    service.clock.advance(1_000);
    const second = await lease(key);
    expect(second.jti).not.to.equal(first.jti);
    const issuing = await service.parts.get(t.issuing);
    good(await issuing.change(key, 'suspend', operator));
    good(await issuing.change(key, 'reinstate', operator));
    expect((await lease(key)).jti).to.equal(second.jti);
    const licenses = await service.parts.get(t.sellerLicenses);
    good(await licenses.change(key, { entitlements: ['pro'] }, { actor: operator, mode: 'live' }));
    const third = await lease(key);
    expect(third.entitlements).to.deep.equal(['pro']);
  });

  it('that many ask for at the same time is signed once', async () => {
    const key = await service.license();
    const found = await Promise.all(Array.from({ length: 40 }, () => lease(key)));
    expect(new Set(found.map(({ jti }) => jti)).size).to.equal(1);
  });

  it('is given out for at most a quarter of its life', async () => {
    await service.setHours(1);
    const key = await service.license();
    const first = await lease(key);
    service.clock.advance(hour / 4);
    expect((await lease(key)).jti).not.to.equal(first.jti);
  });
});

describe('the keys of leases', () => {
  let service: LeaseService;
  beforeEach(async () => {
    service = await startLeaseService();
  });
  afterEach(() => service.close());

  it('are published as a JWK set, with thumbprints as names', async () => {
    await service.get('/lease', { license_key: await service.license(), domain: 'a.com' });
    const { status, headers, body } = await service.get(jwksPath);
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'public, no-cache']);
    expect(body.keys).to.have.length(1);
    expect(body.keys[0]).to.have.all.keys('kty', 'crv', 'x', 'kid', 'alg', 'use');
    expect(body.keys[0].kid).to.equal(await calculateJwkThumbprint(body.keys[0]));
    expect(body.keys[0].x).to.match(/^[\w-]{43}$/);
  });

  it('stay published after a rotation until the last lease has ended, and sign at once with the new one', async () => {
    const key = await service.license();
    const ask = async () => (await service.get('/lease', { license_key: key, domain: 'a.com' })).body.lease;
    const before = await ask();
    const keys = await service.parts.get(t.leaseKeys);
    const [newest, old] = await keys.rotate({ actor: 'test' });
    const after = await ask();
    expect(decodeProtectedHeader(after).kid).to.equal(newest?.kid);
    expect(decodeProtectedHeader(before).kid).to.equal(old?.kid);
    for (const one of [before, after]) await verifiedBy(service, one, 'a.com');

    service.clock.advance(7 * day);
    expect(await keys.forgetOld()).to.equal(0);
    service.clock.advance(hour);
    expect(await keys.forgetOld()).to.equal(1);
    expect((await service.get(jwksPath)).body.keys.map(({ kid }: { kid: string }) => kid)).to.deep.equal([newest?.kid]);
  });

  it('stay published for as long as the longest lease, also if the seller has shortened it', async () => {
    await service.setHours(1_000);
    await service.get('/lease', { license_key: await service.license(), domain: 'a.com' });
    await service.setHours(1);
    const keys = await service.parts.get(t.leaseKeys);
    await keys.rotate({ actor: 'test' });
    service.clock.advance(1_000 * hour);
    expect(await keys.forgetOld()).to.equal(0);
    service.clock.advance(hour);
    expect(await keys.forgetOld()).to.equal(1);
  });

  it('are known to a verifier that has only the public key built in', async () => {
    const { body } = await service.get('/lease', { license_key: await service.license(), domain: 'a.com' });
    const [{ x }] = (await service.get(jwksPath)).body.keys;
    const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA');
    await compactVerify(body.lease, key);
  });
});

/** Verifies a lease with the published keys, at the time of the service. */
async function verifiedBy(service: LeaseService, token: string, audience: string) {
  const { body } = await service.get(jwksPath);
  return await jwtVerify<{ expires_at: string | null; entitlements: string[] }>(token, createLocalJWKSet(body), {
    ...{ issuer: service.url, audience, typ: 'latchkey-lease+jwt', algorithms: ['EdDSA'] },
    currentDate: new Date(service.clock.now()),
  });
}
