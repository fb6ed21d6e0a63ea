import { expect } from 'chai';
import { createGuard } from '../../../apps/sdk/guard/guard.ts';
import type { GuardOptions } from '../../../apps/sdk/guard/options.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { type LeaseService, startLeaseService } from '../../adapters/http/license/lease-service.ts';
import { by, operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { itLong } from '../../support/required-service.ts';
import { type Door, openDoor } from './door.ts';
import { summary } from './lease-site.ts';
import { manualPlatform, ownStorage, patient } from './manual-platform.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('the guard with leases of the real service', () => {
  let service: LeaseService;
  let door: Door;
  let key: LicenseKey;
  before(async () => {
    service = await startLeaseService();
    door = await openDoor(() => service.url);
  });
  after(async () => {
    await door?.[Symbol.asyncDispose]();
    await service?.close();
  });
  beforeEach(async () => {
    door.set('open');
    key = await service.license();
  });

  async function publicKeys(): Promise<string[]> {
    const leaseKeys = await service.parts.get(t.leaseKeys);
    // The first use makes the first key.
    await leaseKeys.currentKey();
    const keys = await leaseKeys.published();
    return keys.map(({ publicKey }) => publicKey);
  }

  /** A site at the time of the service. The server knows itself by another address than that of the door. */
  async function openSite() {
    const platform = manualPlatform({}, service.clock.now());
    const options = { url: door.url, issuer: service.url, licenseKey: key, domain: 'a.com', timeout: patient };
    const [storage, built] = [ownStorage(), await publicKeys()];
    return {
      guard: (more: Partial<GuardOptions> = {}) =>
        createGuard({ ...options, publicKeys: built, storage, ...more }, platform),
      pass(milliseconds: number) {
        platform.pass(milliseconds);
        service.clock.advance(milliseconds);
      },
    };
  }

  itLong('goes through an outage of 6 days, and stops on the 8th', async () => {
    const site = await openSite();
    const guard = site.guard();
    const first = await guard.check();
    expect(first.leaseUntil).to.deep.equal(new Date(service.clock.now() + 7 * day));
    expect(summary(first)).to.deep.equal(['valid', undefined, false]);
    door.set('cut');
    for (let n = 1; n <= 6; n++) {
      site.pass(day);
      expect(summary(await guard.check()), `day ${n}`).to.deep.equal(['valid', 'network', true]);
    }
    site.pass(day + hour);
    expect(summary(await guard.check())).to.deep.equal(['unknown', 'network', false]);
    door.set('open');
    site.pass(hour);
    expect(summary(await guard.check())).to.deep.equal(['valid', undefined, false]);
  });

  it('stops at its next check when the license is revoked, and until then only its lease helps', async () => {
    const site = await openSite();
    const guard = site.guard();
    await guard.check();
    good(await (await service.parts.get(t.issuing)).change(key, 'revoke', operator));
    expect((await service.get('/lease', { license_key: key, domain: 'a.com' })).body).to.include({ error: 'revoked' });
    expect(await guard.check()).to.include({ state: 'valid' });
    door.set('cut');
    site.pass(hour);
    expect(summary(await guard.check())).to.deep.equal(['valid', 'network', true]);
    door.set('open');
    site.pass(hour);
    expect(summary(await guard.check())).to.deep.equal(['invalid', 'revoked', false]);
  });

  it('goes on while the key is changed, if it has both', async () => {
    const site = await openSite();
    const [guard, old] = [site.guard(), await publicKeys()];
    await guard.check();
    await (await service.parts.get(t.leaseKeys)).rotate(by);
    const both = await publicKeys();
    expect(both).to.have.length(old.length + 1);
    site.pass(2 * hour);
    expect(summary(await guard.check()), 'without the new key').to.deep.equal(['valid', 'wrong_signature', true]);
    expect(summary(await site.guard({ publicKeys: both }).check({ fresh: true }))).to.deep.equal([
      'valid',
      undefined,
      false,
    ]);
  });

  it('goes on offline with a lease in a file', async () => {
    const { body } = await service.get('/lease', { license_key: key, domain: 'a.com' });
    const site = await openSite();
    const guard = site.guard({ offline: true, lease: body.lease });
    const before = door.calls.length;
    site.pass(7 * day - 1);
    expect(await guard.check()).to.include({ state: 'valid' });
    site.pass(1);
    expect(await guard.check()).to.include({ state: 'unknown', reason: 'expired_lease' });
    expect(door.calls).to.have.length(before);
  });
});
