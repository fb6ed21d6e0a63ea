import { expect } from 'chai';
import { type DeviceLogin, mintUserCode, parseUserCode, poll } from '../../../core/accounts/device-login.ts';
import { toUserId } from '../../../core/id.ts';
import { isRefused } from '../../../core/refusal.ts';

const now = 1_000_000;
const login: DeviceLogin = {
  digest: 'd',
  userDigest: 'u',
  clientName: 'latchkey',
  address: '127.0.0.1',
  mode: 'live',
  scopes: null,
  createdAt: now,
  expiresAt: now + 600_000,
  interval: 5,
  polledAt: null,
  answer: { kind: 'waiting' },
};
const approved = { kind: 'approved', userId: toUserId(1), generation: 2, keyName: 'Laptop' } as const;

function told(one: DeviceLogin, at: number): [unknown, string] {
  const { after, result } = poll(one, at);
  return [after, isRefused(result) ? result.reason : result.kind];
}

describe('codes for people', () => {
  it('have eight letters in two groups, and every letter comes equally often', () => {
    // Every byte comes once.
    let next = 0;
    const bytes = (count: number) => Uint8Array.from({ length: count }, () => next++ % 256);
    const codes = Array.from({ length: 30 }, () => mintUserCode({ bytes }));
    for (const code of codes) expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const counts = new Map<string, number>();
    for (const letter of codes.join('').replaceAll('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect([...new Set(counts.values())]).to.deep.equal([12]);
  });

  it('are read in any case, with any gaps', () => {
    for (const text of ['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'W-D-J-B–M J H T']) {
      expect(parseUserCode(text), text).to.equal('WDJB-MJHT');
    }
    for (const text of ['', 'WDJB-MJH', 'WDJB-MJHTT', 'ADJB-MJHT', 'WDJB_MJHT', '1DJB-MJHT']) {
      expect(parseUserCode(text), text).to.equal(undefined);
    }
  });
});

describe('a program that asks for its key', () => {
  it('waits until there is an answer', () => {
    expect(told(login, now)).to.deep.equal([{ ...login, polledAt: now }, 'authorization_pending']);
    const asked = { ...login, polledAt: now };
    expect(told(asked, now + 5000)).to.deep.equal([{ ...asked, polledAt: now + 5000 }, 'authorization_pending']);
  });

  it('must wait five seconds longer after each question that came too early, whatever the answer is', () => {
    for (const answer of [login.answer, approved, { kind: 'denied' }] as const) {
      const asked: DeviceLogin = { ...login, polledAt: now, answer };
      const slower = { ...asked, polledAt: now + 4999, interval: 10 };
      expect(told(asked, now + 4999)).to.deep.equal([slower, 'slow_down']);
      expect(poll(asked, now + 4999).result)
        .to.have.property('figures')
        .that.deep.equals({ interval: 10 });
      expect(told(slower, now + 4999 + 9999)).to.deep.equal([
        { ...slower, polledAt: now + 4999 + 9999, interval: 15 },
        'slow_down',
      ]);
      expect(told(slower, now + 4999 + 10_000)[1]).to.not.equal('slow_down');
    }
  });

  it('gets each answer once', () => {
    expect(poll({ ...login, answer: approved }, now)).to.deep.equal({ after: 'removed', result: approved });
    expect(told({ ...login, answer: { kind: 'denied' } }, now)).to.deep.equal(['removed', 'access_denied']);
  });

  it('is too late after ten minutes, also with an approval', () => {
    const late = { ...login, polledAt: login.expiresAt - 1 };
    for (const answer of [login.answer, approved]) {
      expect(told({ ...late, answer }, login.expiresAt)).to.deep.equal(['removed', 'expired_token']);
      expect(told({ ...login, answer }, login.expiresAt - 1)[1]).to.not.equal('expired_token');
    }
  });
});
