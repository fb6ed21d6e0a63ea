import { expect } from 'chai';
import { bodyOf } from '../../adapters/webhook-body.ts';
import { toProductId, toUserId } from '../../core/id.ts';
import type { Happening } from '../../core/webhooks/webhook-event.ts';
import { domain, keyNumber } from '../support/license-acts.ts';

const at = Date.UTC(2026, 10, 20, 8, 30, 0, 123);
const product = { id: toProductId(7), title: 'Tip "Jar" ü', slug: 'tip-jar' };
const license = {
  key: keyNumber(1),
  status: 'active',
  expiresAt: at + 1,
  updatesUntil: at + 2,
  entitlements: ['pro'],
  maxDomains: 5,
  domainsUsed: 2,
} as const;
const common = { at, ownerId: toUserId(3), isLive: false, product };
const [a, b] = [domain('a.example'), domain('b.example')];

/** The fields of all events about licenses. */
const ofLicense = {
  license_key: 'LIC-TEST-0000-0000-0001',
  status: 'active',
  domains_used: 2,
  max_domains: 5,
  expires_at: '2026-11-20T08:30:00.124Z',
  updates_until: '2026-11-20T08:30:00.125Z',
  entitlements: ['pro'],
  product,
};
const reason = 'Unpaid';

const cases: [Happening, object][] = [
  [{ ...common, license, type: 'license.issued' }, ofLicense],
  [{ ...common, license, type: 'license.expired' }, ofLicense],
  [
    { ...common, license, type: 'license.expiring', daysLeft: 7 },
    { ...ofLicense, days_left: 7 },
  ],
  [
    { ...common, license, type: 'license.activated', domain: a },
    { ...ofLicense, domain: 'a.example' },
  ],
  [
    { ...common, license, type: 'license.deactivated', domain: a },
    { ...ofLicense, domain: 'a.example' },
  ],
  [
    { ...common, license, type: 'license.domain_moved', from: a, to: b, fromEndsAt: at + 2 },
    { ...ofLicense, from: 'a.example', to: 'b.example', from_ends_at: '2026-11-20T08:30:00.125Z' },
  ],
  [
    { ...common, license, type: 'license.rotated', formerKey: license.key, formerEndsAt: at + 2 },
    { ...ofLicense, former_key: license.key, former_valid_until: '2026-11-20T08:30:00.125Z' },
  ],
  [
    { ...common, license, type: 'license.suspended', reason },
    { ...ofLicense, reason },
  ],
  [
    { ...common, license, type: 'license.reinstated', reason: '' },
    { ...ofLicense, reason: '' },
  ],
  [
    { ...common, license, type: 'license.revoked', reason },
    { ...ofLicense, reason },
  ],
  [
    { ...common, license: { ...license, expiresAt: null }, type: 'license.renewed', reason },
    { ...ofLicense, expires_at: null, reason },
  ],
  [
    { ...common, license, type: 'license.verified', domain: a, count: 9, lastVerifiedAt: at - 1 },
    { ...ofLicense, domain: 'a.example', count: 9, last_verified_at: '2026-11-20T08:30:00.122Z' },
  ],
  [
    { ...common, type: 'product.approved' },
    { status: 'published', product },
  ],
  [
    { ...common, type: 'product.rejected', reason },
    { status: 'rejected', reason, product },
  ],
];

describe('the body of a webhook', () => {
  for (const [happening, data] of cases) {
    it(`of ${happening.type} has the fields of the spec`, () => {
      const body = bodyOf(happening, 'evt_1');
      const timestamp = '2026-11-20T08:30:00.123Z';
      expect(JSON.parse(body)).to.deep.equal({ id: 'evt_1', event: happening.type, timestamp, livemode: false, data });
      expect(JSON.parse(bodyOf({ ...happening, isLive: true }, 'evt_1')).livemode).to.equal(true);
    });
  }
});
