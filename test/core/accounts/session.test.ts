import { expect } from 'chai';
import fc from 'fast-check';
import { confirmationLife, lastSeenPrecision, sessionLife } from '../../../core/accounts/session.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { runs } from '../../support/runs.ts';
import { addLogin, from, password, signInWith } from '../../support/sign-in.ts';

const hour = 3_600_000;
/** Waits between uses: short ones, and some around the ends of a session. */
const waits = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 400 * hour }),
    fc.constantFrom(sessionLife.idle - lastSeenPrecision - 1, sessionLife.idle - 1, sessionLife.idle, 13 * 24 * hour),
  ),
  { minLength: 1, maxLength: 12 },
);

describe('session', () => {
  let stores: StoresInMemory;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    await addLogin(stores);
  });
  afterEach(() => stores.close());

  it('is never valid after its idle or absolute end, and always shortly before, whatever the order of its uses', async () => {
    await fc.assert(
      fc.asyncProperty(waits, async (gaps) => {
        const { clock, signIn, sessions } = signInWith(stores);
        const signed = good(await signIn({ email: 'ada@example.com', password }, from));
        if (signed.kind !== 'signed_in') throw new Error(signed.kind);
        const start = clock.now();
        let lastUse = start;
        let hasEnded = false;
        for (const gap of gaps) {
          clock.advance(gap);
          const now = clock.now();
          const isOver = now >= start + sessionLife.absolute || now >= lastUse + sessionLife.idle;
          const isSafe = now < start + sessionLife.absolute && now < lastUse + sessionLife.idle - lastSeenPrecision;
          const me = await sessions.authenticate(signed.token);
          if (hasEnded || isOver) expect(me).to.equal(undefined);
          else if (isSafe) expect(me).to.not.equal(undefined);
          if (me === undefined) hasEnded = true;
          else lastUse = now;
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('writes its last use at most once in five minutes', async () => {
    let touches = 0;
    const counted: typeof stores.sessions = {
      ...stores.sessions,
      async touch(id, at) {
        touches++;
        await stores.sessions.touch(id, at);
      },
    };
    const { clock, signIn, sessions } = signInWith({ ...stores, sessions: counted });
    const signed = good(await signIn({ email: 'ada@example.com', password }, from));
    if (signed.kind !== 'signed_in') throw new Error(signed.kind);
    for (let use = 0; use < 30; use++) {
      await sessions.authenticate(signed.token);
      clock.advance(60_000);
    }
    expect(touches).to.equal(5);
  });

  it('is confirmed for 15 minutes after the password was given, and gets a new token with it', async () => {
    const { clock, signIn, sessions, changePassword } = signInWith(stores);
    const signed = good(await signIn({ email: 'ada@example.com', password }, from));
    if (signed.kind !== 'signed_in') throw new Error(signed.kind);
    const me = async (token: string) => {
      const found = await sessions.authenticate(token);
      if (found === undefined) throw new Error('signed out');
      return found;
    };
    clock.advance(confirmationLife);
    const late = await me(signed.token);
    expect(await changePassword(late, 'another good one')).to.include({ reason: 'confirmation_needed' });
    expect(await sessions.confirm(late, 'wrong password', from.address)).to.include({ reason: 'wrong_credentials' });
    const { token } = good(await sessions.confirm(late, password, from.address));
    expect(token).to.not.equal(signed.token);
    expect(await sessions.authenticate(signed.token)).to.equal(undefined);
    clock.advance(confirmationLife - 1);
    expect(good(await changePassword(await me(token), 'another good one'))).to.have.property('token');
  });
});
