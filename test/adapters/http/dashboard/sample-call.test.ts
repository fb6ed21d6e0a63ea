import { expect } from 'chai';
import { sampleCall } from '../../../../adapters/http/dashboard/api-keys/new-key.tsx';
import type { Scopes } from '../../../../core/accounts/scope.ts';

describe('the sample call of a new key', () => {
  const pathFor = (scopes: Scopes) => sampleCall('https://x.example/shop', 'KEY', scopes)?.split(' ')[1];

  it('is one that the scopes of the key allow', () => {
    expect(pathFor(null)).to.equal('https://x.example/shop/api/auth/me');
    expect(pathFor(['templates:read', 'marketplace:read'])).to.equal('https://x.example/shop/api/templates');
    expect(pathFor(['marketplace:read'])).to.equal('https://x.example/shop/api/marketplace/my-products');
    expect(pathFor(['marketplace:write', 'webhooks:write'])).to.equal(undefined);
  });

  it('is a command for a terminal, in two lines', () => {
    expect(sampleCall('http://localhost:3000', 'lk_sk_live_1', null)).to.equal(
      "curl http://localhost:3000/api/auth/me \\\n  -H 'X-API-Key: lk_sk_live_1'",
    );
  });
});
