import { expect } from 'chai';
import type { Login, NewLogin } from '../../core/accounts/login.ts';
import { type Event, event } from '../../core/events/event.ts';
import { toUserId } from '../../core/id.ts';
import type { NewNotification } from '../../core/notifications/notification.ts';
import type { News } from '../../core/ports/change.ts';
import { refuse } from '../../core/refusal.ts';
import { backends, openForEach, type Stores } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
import { newKey } from '../support/keys.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { newMail, subjectsOf } from '../support/mails.ts';
import { addLogin } from '../support/sign-in.ts';

type Opened = Omit<Stores, 'close'>;

/** Each way to change something and to notify somebody of it. */
const changes: Record<string, (stores: Opened, ada: Login, told: News & { event: Event }) => Promise<unknown>> = {
  'a change of a login': ({ logins }, { id }, told) =>
    logins.change(id, (before) => ({ after: { ...before, generation: 9 }, ...told })),
  'a change of a user': ({ accounts }, { id }, told) =>
    accounts.change(id, (before) => ({ after: { ...before, tier: 'pro' }, ...told })),
  'a new key': ({ accounts }, { id }, { event: told, ...news }) => accounts.addKey(newKey(id, 2), told, () => news),
  'a change of a key': async ({ accounts }, { id }, told) => {
    for (const key of await accounts.listKeys(id)) {
      await accounts.changeKey(key.id, (before) => ({ after: { ...before, revokedAt: now }, ...told }));
    }
  },
  'a rotation of a key': async ({ accounts }, { id }, told) => {
    for (const key of await accounts.listKeys(id)) {
      await accounts.replaceKey(key.id, now, () => ({ endsAt: now, successor: newKey(id, 2), ...told }));
    }
  },
  'a change of rights': ({ accounts }, { id }, told) =>
    accounts.changeRights(id, (before) => ({ after: { ...before, role: 'admin' }, ...told })),
  'a link': ({ links }, _, told) => links.add(linkOf('new'), now, told),
  'the use of a link that changes a user': ({ links }, _, told) =>
    links.use('used', ({ login }) => (login ? { change: { ...login, generation: 9 }, ...told } : refuse('no_login'))),
  'the use of a link that adds a user': ({ links }, _, told) => links.use('free', () => ({ add: newcomer, ...told })),
};
/** The same changes, each of which is refused. */
const refusals: Record<string, (stores: Opened, ada: Login) => Promise<unknown>> = {
  'a change of a login': ({ logins }, { id }) => logins.change(id, () => refuse('no')),
  'a change of a user': ({ accounts }, { id }) => accounts.change(id, () => refuse('no')),
  'a new key': ({ accounts }, { id }) => accounts.addKey(newKey(id, 2), told, () => refuse('no')),
  'a rotation of a key': async ({ accounts }, { id }) => {
    const [key] = await accounts.listKeys(id);
    return await accounts.replaceKey(must(key).id, now, () => refuse('no'));
  },
  'the use of a link': ({ links }) => links.use('used', () => refuse('no')),
  'the use of a link for an address that is taken': ({ links }) =>
    links.use('free', () => ({ add: { ...newcomer, email: 'ada@example.com' }, event: told, letters })),
};

const newcomer: NewLogin = {
  ...{ name: 'Bob', email: 'bob@example.com', role: null, passwordHash: null, emailVerifiedAt: null },
  ...{ tier: 'free', createdAt: now },
};

function linkOf(digest: string, login?: Login) {
  const of = login ? { userId: login.id, generation: login.generation } : null;
  return { digest, purpose: { kind: 'reset-password' }, of, expiresAt: now + 10 } as const;
}

const told = event('user.password_set', 'thing', by, now, { n: 1 });
const letters = [newMail(now, 'one@example.com'), newMail(now, 'two@example.com')];

const noticesOf = ({ id: userId }: Pick<Login, 'id'>): NewNotification[] => [
  { userId, notice: { kind: 'password_changed' }, createdAt: now },
  { userId, notice: { kind: 'email_changed', email: 'Žoë "x"' }, createdAt: now + 1 },
];

for (const backend of backends) {
  describe(`news of changes: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: Login;
    beforeEach(async () => {
      ada = await addLogin(stores);
      await stores.links.add(linkOf('used', ada), now);
      await stores.links.add(linkOf('free'), now);
      await stores.accounts.addKey(newKey(ada.id, 1), event('key.created', 'key', by, now));
    });

    const mails = async () => (await stores.mails.list({ limit: 9 })).map(({ to }) => to.address);
    const work = async () => subjectsOf(await stores.work.claim({ now, until: now, most: 9 }));
    const unread = () => stores.notifications.countUnread(ada.id, 9);
    const events = () => stores.audit.list({ subject: 'thing', limit: 9 });
    const state = async () => [
      await stores.logins.find(ada.id),
      await stores.accounts.findById(ada.id),
      await stores.accounts.findByEmail('bob@example.com'),
      await stores.accounts.listKeys(ada.id),
      await Promise.all(['used', 'free', 'new'].map(stores.links.find)),
    ];

    for (const [name, change] of Object.entries(changes)) {
      it(`writes letters and notices with ${name}, and the work of sending the letters, due at once`, async () => {
        const before = await state();
        const notices = noticesOf(ada);
        await change(stores, ada, { event: told, letters, notices });
        expect(await state()).to.not.deep.equal(before);
        expect(await mails()).to.deep.equal(['two@example.com', 'one@example.com']);
        expect(await work()).to.have.lengthOf(2);
        expect(await events()).to.deep.equal([told]);
        const found = await stores.notifications.list(ada.id, { limit: 9 });
        expect(found).to.deep.equal(
          notices.toReversed().map((notice, n) => ({ ...notice, id: found[n]?.id, readAt: null })),
        );
      });

      it(`writes neither ${name} nor a letter or notice if one of them or the event cannot be stored`, async () => {
        const before = await state();
        const notices = noticesOf(ada);
        for (const broken of [
          { event: { ...told, type: null as never }, letters, notices },
          { event: told, letters: [...letters, { ...newMail(now), subject: null as never }], notices },
          { event: told, letters, notices: [...notices, ...noticesOf({ id: toUserId(ada.id + 99) })] },
        ]) {
          expect(await errorOf(change(stores, ada, broken))).to.be.instanceOf(Error);
        }
        expect(await state()).to.deep.equal(before);
        expect([await mails(), await work(), await events(), await unread()]).to.deep.equal([[], [], [], 0]);
      });
    }

    for (const [name, change] of Object.entries(refusals)) {
      it(`writes no letter and no notice after a refusal of ${name}`, async () => {
        const before = await state();
        expect(await change(stores, ada)).to.include({ kind: 'refused' });
        expect(await state()).to.deep.equal(before);
        expect([await mails(), await work(), await events(), await unread()]).to.deep.equal([[], [], [], 0]);
      });
    }
  });
}
