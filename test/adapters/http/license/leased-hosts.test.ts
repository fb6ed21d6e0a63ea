import { expect } from 'chai';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { type LeaseService, startLeaseService } from './lease-service.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('the hosts of a license that get leases', () => {
  let service: LeaseService;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startLeaseService();
    key = await service.license({ maxDomains: 1 });
    await service.post('/deactivate', { license_key: key, domain: 'a.com' });
    service.clock.advance(7 * day);
  });
  afterEach(() => service.close());

  /** Takes the only slot, asks for a lease, and frees the slot. Returns the life of the lease in hours. */
  async function passing(domain: string, license = key, inSlot = () => ask(domain, license)): Promise<number> {
    expect((await service.post('/activate', { license_key: license, domain })).status).to.equal(200);
    const life = await inSlot();
    expect((await service.post('/deactivate', { license_key: license, domain })).status).to.equal(200);
    return life;
  }
  async function ask(domain: string, license = key): Promise<number> {
    const { status, body } = await service.get('/lease', { license_key: license, domain });
    expect([status, body.valid]).to.deep.equal([200, true]);
    return (Date.parse(body.expires_at) - service.clock.now()) / hour;
  }
  const passingAll = async (names: readonly string[]) => {
    const lives = [];
    for (const name of names) lives.push(await passing(name));
    return lives;
  };
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `s${from + n}.com`);

  it('get the whole life up to twice the slots and three more, and an hour beyond that', async () => {
    expect(await passingAll(names(0, 8))).to.deep.equal([168, 168, 168, 168, 168, 1, 1, 1]);
  });

  it('keep the whole life once they have it, also if they come back, and the others get an hour again', async () => {
    await passingAll(names(0, 6));
    service.clock.advance(hour);
    const again = await passingAll(['s5.com', 's0.com', 's4.com', 's5.com', 's6.com']);
    expect(again).to.deep.equal([1, 168, 168, 1, 1]);
  });

  it('are counted anew when the life is over', async () => {
    await passingAll(names(0, 6));
    service.clock.advance(7 * day);
    expect(await passingAll(['s5.com', 's6.com'])).to.deep.equal([168, 168]);
  });

  it('are counted for each license alone, and more for one with more slots', async () => {
    await passingAll(names(0, 6));
    const other = await service.license({ maxDomains: 2 });
    await service.post('/deactivate', { license_key: other, domain: 'a.com' });
    service.clock.advance(7 * day);
    const lives = [];
    for (const name of names(0, 8)) lives.push(await passing(name, other));
    expect(lives).to.deep.equal([168, 168, 168, 168, 168, 168, 168, 1]);
  });

  it('count once, however often and at the same time they ask', async () => {
    await passing('s0.com', key, async () => {
      const lives = await Promise.all(Array.from({ length: 30 }, () => ask('s0.com')));
      for (let n = 0; n < 20; n++) {
        service.clock.advance(hour);
        lives.push(await ask('s0.com'));
      }
      expect(new Set(lives)).to.deep.equal(new Set([168]));
      return 168;
    });
    expect(await passingAll(names(1, 6))).to.deep.equal([168, 168, 168, 168, 1]);
  });

  it('that have a slot since before keep the whole life, whatever others do', async () => {
    const two = await service.license({ maxDomains: 2 });
    service.clock.advance(7 * day);
    for (const name of names(0, 9)) await passing(name, two);
    expect(await ask('a.com', two)).to.equal(168);
  });

  it('are not counted if leases live for an hour anyway', async () => {
    await service.setHours(1);
    expect(await passingAll(names(0, 8))).to.deep.equal(Array.from({ length: 8 }, () => 1));
  });
});
