import { expect } from 'chai';
import { toUserId, toWebhookId } from '../../../core/id.ts';
import { editWebhook } from '../../../core/selling/webhook-edit.ts';
import { healthy } from '../../../core/webhooks/endpoint.ts';
import { newEndpoint } from '../../support/webhooks.ts';

const health = { failingSince: 1, failedAt: 2, warnedAt: 3 };
const ill = { ...newEndpoint(toUserId(1), { health }), id: toWebhookId(5) };
const now = ill.updatedAt + 7;

describe('the edit of a webhook', () => {
  it('forgets failures with another URL, and when it is switched on', () => {
    expect(editWebhook(ill, { url: 'https://other.example/' }, now).after.health).to.deep.equal(healthy);
    for (const off of ['seller', 'failures'] as const) {
      const { after, fields } = editWebhook({ ...ill, off }, { isOn: true }, now);
      expect([after.off, after.health, fields]).to.deep.equal([null, healthy, ['status']]);
    }
  });

  it('keeps failures with every other change', () => {
    for (const patch of [{ description: 'New' }, { events: ['license.issued'] as const }, { isOn: false }]) {
      expect(editWebhook(ill, patch, now).after).to.deep.include({ health, updatedAt: now });
    }
  });

  it('keeps why it is off when it is switched off again, and changes nothing without a difference', () => {
    const off = { ...ill, off: 'failures' } as const;
    expect(editWebhook(off, { isOn: false, url: off.url ?? undefined }, now)).to.deep.equal({ after: off, fields: [] });
    expect(editWebhook(ill, { isOn: true }, now)).to.deep.equal({ after: ill, fields: [] });
  });
});
