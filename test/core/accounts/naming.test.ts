import { expect } from 'chai';
import { createNaming } from '../../../core/accounts/naming.ts';
import { event } from '../../../core/events/event.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { addLogin, from, password, signInWith } from '../../support/sign-in.ts';

describe('the name of a user', () => {
  let stores: StoresInMemory;
  beforeEach(async () => {
    stores = await openStoresInMemory();
  });
  afterEach(() => stores.close());

  /** Returns a function that renames Ada, and one that returns her name and the events of renaming. */
  async function start() {
    const doors = signInWith(stores);
    const { id } = await addLogin(stores);
    const answer = good(await doors.signIn({ email: 'ada@example.com', password }, from));
    const me = answer.kind === 'signed_in' ? await doors.sessions.authenticate(answer.token) : undefined;
    if (me === undefined) throw new Error('Nobody is signed in.');
    const naming = createNaming({ store: stores.accounts, clock: doors.clock });
    const stored = async () => ({
      name: (await stores.accounts.findById(id))?.name,
      events: (await stores.rows('audit_log')).filter(({ type }) => type === 'user.renamed'),
    });
    return { id, stored, rename: (name: string) => naming.rename(me, name), doors };
  }

  it('is changed and recorded by its owner, trimmed', async () => {
    const { rename, stored } = await start();
    expect(await rename('  Ada Lovelace ')).to.equal('renamed');
    const { name, events } = await stored();
    expect(name).to.equal('Ada Lovelace');
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.include({ actor: 'ada@example.com', subject: 'ada@example.com' });
    expect(JSON.parse(String(events[0]?.data))).to.deep.equal({ from: 'Ada', to: 'Ada Lovelace' });
  });

  it('has 1 to 200 characters, counted as people count them', async () => {
    const { rename, stored } = await start();
    for (const name of ['', '  ', 'x'.repeat(201)]) expect(await rename(name)).to.include({ reason: 'name_invalid' });
    expect(await stored()).to.deep.equal({ name: 'Ada', events: [] });
    for (const name of ['x', '𝒜'.repeat(200)]) {
      expect(await rename(name)).to.equal('renamed');
      expect((await stored()).name).to.equal(name);
    }
  });

  it('stays the same, without an event, if it is the current one', async () => {
    const { rename, stored } = await start();
    expect(await rename(' Ada ')).to.equal('renamed');
    expect(await stored()).to.deep.equal({ name: 'Ada', events: [] });
  });

  it('cannot be changed by a user who was suspended meanwhile', async () => {
    const { id, rename, stored, doors } = await start();
    const now = doors.clock.now();
    const told = event('user.suspended', 'ada@example.com', by, now);
    await stores.accounts.changeRights(id, (before) => ({ after: { ...before, suspendedAt: now }, event: told }));
    expect(await rename('Eve')).to.include({ reason: 'signed_out' });
    expect((await stored()).name).to.equal('Ada');
  });
});
