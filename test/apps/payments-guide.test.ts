import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { permissions } from '../../adapters/payments/stripe/key-test.ts';
import { aboutOf, kinds } from '../../adapters/payments/stripe/received.ts';

describe('the guide to payments', () => {
  it('lists exactly the events that the server understands', async () => {
    const guide = await readFile(new URL('../../apps/docs/payments.md', import.meta.url), 'utf8');
    const [, list = ''] = /<!-- events -->([\s\S]*?)<!-- \/events -->/.exec(guide) ?? [];
    const listed = Array.from(list.matchAll(/`([^`]+)`/g), ([, type = '']) => type);
    expect(listed).to.not.deep.equal([]);
    expect(listed.toSorted()).to.deep.equal([...kinds.keys()].toSorted());
    for (const type of listed) {
      const parent = { subscription_details: { subscription: 'id_1' } };
      const event = { type, livemode: false, data: { object: { id: 'id_1', payment_intent: 'pi_1', parent } } };
      const expected = type.startsWith('checkout.')
        ? { paymentId: 'id_1' }
        : /^(invoice|customer)/.test(type)
          ? { subscriptionId: 'id_1' }
          : { intentId: 'pi_1' };
      expect(aboutOf(event as unknown as Parameters<typeof aboutOf>[0], false), type).to.deep.equal(expected);
    }
  });

  it('names every permission that the test of a key asks for', async () => {
    const guide = await readFile(new URL('../../apps/docs/payments.md', import.meta.url), 'utf8');
    const named = Array.from(guide.matchAll(/^ +\| ([\w ]+) \| (?:Read|Write) \|$/gm), ([, name = '']) => name);
    expect(named).to.include.members([...permissions]);
  });
});
