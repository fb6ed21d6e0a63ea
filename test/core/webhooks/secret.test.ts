import { expect } from 'chai';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { mintWebhookSecret } from '../../../core/webhooks/secret.ts';

describe('the secret of a webhook', () => {
  it('is whsec_ and 256 bits in base64, other ones each time', () => {
    const secrets = Array.from({ length: 50 }, () => mintWebhookSecret(systemSecrets));
    for (const secret of secrets) {
      expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.lengthOf(32);
    }
    expect(new Set(secrets).size).to.equal(50);
  });
});
