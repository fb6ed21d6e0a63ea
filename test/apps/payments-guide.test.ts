import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { aboutOf, kinds } from '../../adapters/payments/stripe/received.ts';

describe('the guide to payments', () => {
  it('lists exactly the events that the server understands', async () => {
    const guide = await readFile(new URL('../../apps/docs/payments.md', import.meta.url), 'utf8');
    const [, list = ''] = /<!-- events -->([\s\S]*?)<!-- \/events -->/.exec(guide) ?? [];
    const listed = Array.from(list.matchAll(/`([^`]+)`/g), ([, type = '']) => type);
    expect(listed).to.not.deep.equal([]);
    expect(listed.toSorted()).to.deep.equal([...kinds.keys()].toSorted());
    for (const type of listed) {
      const event = { type, livemode: false, data: { object: { id: 'cs_1', payment_intent: 'pi_1' } } };
      const expected = type.startsWith('checkout.') ? { paymentId: 'cs_1' } : { intentId: 'pi_1' };
      expect(aboutOf(event as unknown as Parameters<typeof aboutOf>[0], false), type).to.deep.equal(expected);
    }
  });
});
