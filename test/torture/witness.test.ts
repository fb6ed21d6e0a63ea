import { expect } from 'chai';
import { differences } from './witness.ts';

const change = (type: string, data: object) => ({ type, subject: 'LIC-1', data: JSON.stringify(data) });
const delivery = (event: string, data: object) => ({
  name: 'evt',
  state: 'waiting',
  body: JSON.stringify({ event, data: { license_key: 'LIC-1', ...data } }),
});

describe('the comparison of webhooks with the audit trail', () => {
  const activated = { domain: 'a.example' };

  it('finds nothing if each change has its events, whatever their order', () => {
    const changes = [
      change('license.issued', {}),
      change('license.activated', activated),
      change('license.domain_moved', { domain: 'a.example', to: 'b.example' }),
      change('license.deactivated', { domain: 'b.example', also: 'a.example' }),
      change('license.changed', {}),
      change('webhook.added', {}),
    ];
    const deliveries = [
      delivery('license.deactivated', activated),
      delivery('license.deactivated', { domain: 'b.example' }),
      delivery('license.domain_moved', { from: 'a.example', to: 'b.example' }),
      delivery('license.activated', activated),
      delivery('license.verified', activated),
      delivery('license.issued', {}),
    ];
    expect(differences(changes, deliveries)).to.deep.equal([]);
  });

  it('finds a change without an event, an event without a change, and an event that is there twice', () => {
    const changes = [change('license.activated', activated), change('license.suspended', {})];
    const twice = delivery('license.activated', activated);
    expect(differences(changes, [twice, twice, delivery('license.revoked', {})])).to.deep.equal([
      'license.activated LIC-1 a.example: 1 events without a change',
      'license.suspended LIC-1 : 1 without an event',
      'license.revoked LIC-1 : 1 events without a change',
    ]);
  });
});
