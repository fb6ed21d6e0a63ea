import { expect } from 'chai';
import { toProductId } from '../../../core/id.ts';
import { newActivation } from '../../../core/licensing/activations.ts';
import type { License } from '../../../core/licensing/license.ts';
import { move } from '../../../core/licensing/move.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import { good } from '../../support/good.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';

const now = Date.UTC(2026, 0, 1);
const [site, preview, other] = [domain('shop.example'), domain('x.preview.example'), domain('new.example')];
const hosts = { ...defaultTerms.hosts, previewHosts: ['*.preview.example'] };
const license: License = {
  ...{ key: keyNumber(1), productId: toProductId(1), ownerId: null, isLive: true, standing: 'active', expiresAt: null },
  ...{
    maxDomains: 1,
    domainsUsed: 1,
    freeDomains: 0,
    daysFromActivation: null,
    updatesUntil: null,
    entitlements: [],
    moves: { month: null, made: 0 },
  },
  ...{ createdAt: 0, ownStanding: null, retired: { verificationCount: 0, lastVerifiedAt: null } },
};
const around = {
  hosts,
  activations: new Map([[site, newActivation({ hosts, activations: new Map() }, site, 0)]]),
  movesPerMonth: 3,
};

describe('a move of a license', () => {
  it('keeps the old host for the overlap if the new one holds its slot', () => {
    const moved = good(move(license, around, { from: site, to: other, overlapHours: 72 }, now));
    expect(moved.end).to.include({ domain: site, endsAt: now + 72 * 3_600_000 });
    expect(moved.license).to.include({ domainsUsed: 1, freeDomains: 0 });
  });

  it('ends the old host at once if the new one takes no slot, because another site can take the slot', () => {
    const moved = good(move(license, around, { from: site, to: preview, overlapHours: 72 }, now));
    expect([moved.end, moved.remove, moved.moved]).to.deep.equal([undefined, [site], { from: site, endsAt: now }]);
    expect(moved.license).to.include({ domainsUsed: 0, freeDomains: 1 });
  });
});
