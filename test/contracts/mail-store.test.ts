import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { queueAgain } from '../../core/mail/mail.ts';
import { isRefused } from '../../core/refusal.ts';
import { lease, type Outcome } from '../../core/work/work.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addMails, newMail, subjectsOf } from '../support/mails.ts';
import { itLong } from '../support/required-service.ts';

for (const backend of backends) {
  describe(`mail store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const claim = (at: number) => stores.work.claim({ now: at, until: at + lease, most: 99 });
    const end = async (outcome: Outcome) => {
      const works = await claim(now);
      await stores.work.settle(works.map((work) => ({ work, outcome, at: now + 1 })));
    };
    const tested = event('mail.tested', 'ada@example.com', by, now);

    it('returns a stored mail unchanged, with its event in the audit trail', async () => {
      const mail = newMail(now);
      const id = await stores.mails.add(mail, tested);
      const fresh = { state: 'queued', attempts: 0, error: null, settledAt: null, dueAt: now } as const;
      expect(await stores.mails.find(id)).to.deep.equal({ ...mail, id, ...fresh });
      const { text: _, html: __, ...entry } = mail;
      expect(await stores.mails.list({ limit: 9 })).to.deep.equal([{ ...entry, id, ...fresh }]);
      expect(await stores.audit.list({ limit: 9 })).to.deep.equal([tested]);
    });

    it('returns nothing for an unknown id', async () => {
      for (const id of [1, 2_147_483_648, 999_999_999_999_999]) {
        expect(await stores.mails.find(id as never)).to.equal(undefined);
        expect(await stores.mails.change(id as never, () => expect.fail())).to.equal(undefined);
      }
    });

    it('lists newest first, by state, address and page', async () => {
      const ids = await addMails(stores, 3, now);
      await end({ kind: 'failed', error: 'no' });
      const [last] = await addMails(stores, 1, now);
      const list = async (filter: object) => (await stores.mails.list({ limit: 9, ...filter })).map(({ id }) => id);
      expect(await list({})).to.deep.equal([last, ...ids.toReversed()]);
      expect(await list({ limit: 2 })).to.deep.equal([last, ids[2]]);
      expect(await list({ before: ids[2] })).to.deep.equal([ids[1], ids[0]]);
      expect(await list({ state: 'failed' })).to.deep.equal(ids.toReversed());
      expect(await list({ address: 'M0@example.COM' })).to.deep.equal([last, ids[0]]);
      expect(await list({ address: 'm0@example.com', state: 'queued' })).to.deep.equal([last]);
    });

    it('makes a failed mail due at once when it is queued again', async () => {
      const [id] = await addMails(stores, 1, now);
      await end({ kind: 'failed', error: 'no' });
      expect(await claim(now + lease)).to.deep.equal([]);
      const again = event('mail.retried', 'm0@example.com', by, now + 9);
      const changed = await stores.mails.change(must(id), (mail) => queueAgain(mail, again));
      if (changed === undefined || isRefused(changed)) return expect.fail();
      expect(await stores.mails.find(must(id))).to.include({
        state: 'queued',
        attempts: 0,
        error: null,
        dueAt: now + 9,
      });
      expect(await claim(now + 8)).to.deep.equal([]);
      expect(subjectsOf(await claim(now + 9))).to.deep.equal([id]);
      expect((await stores.audit.list({ limit: 1 }))[0]).to.deep.equal(again);
    });

    itLong('queues a mail once if several ask for it at the same time', async () => {
      const [id] = await addMails(stores, 1, now);
      await end({ kind: 'failed', error: 'no' });
      const again = event('mail.retried', 'm0@example.com', by, now);
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => stores.mails.change(must(id), (mail) => queueAgain(mail, again))),
      );
      expect(answers.filter((one) => one !== undefined && !isRefused(one))).to.have.lengthOf(1);
      expect(await claim(now)).to.have.lengthOf(1);
    });

    it('forgets old mails, except queued ones', async () => {
      const old = await addMails(stores, 3, now - 10);
      await end({ kind: 'done', result: 'sent' });
      const [waiting] = await addMails(stores, 1, now - 10);
      const [young] = await addMails(stores, 1, now);
      expect(await stores.mails.forget(now - 10)).to.equal(0);
      expect(await stores.mails.forget(now)).to.equal(old.length);
      expect((await stores.mails.list({ limit: 9 })).map(({ id }) => id)).to.deep.equal([young, waiting]);
    });
  });
}
