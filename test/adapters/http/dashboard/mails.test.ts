import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { MailState } from '../../../../core/mail/mail.ts';
import { hour } from '../../../../core/time.ts';
import { operator } from '../../../support/by.ts';
import { eventually } from '../../../support/eventually.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

describe('the pages about mails and the system', () => {
  let service: DashboardService;
  let admin: Person;
  before(async () => {
    service = await startDashboardService({}, { hasWorker: true });
    admin = await service.signedInUser({ role: 'admin', email: 'root@example.com' });
  });
  after(() => service.close());

  /** A mail with a link in it, that is settled. */
  async function mailWithLink(email: string) {
    await service.browser().fill('/sign-up', { name: 'Ada', email, password: 'correct horse battery' });
    const mails = await service.parts.get(t.mails);
    const [mail] = good(await mails.list({ address: email, limit: 1 }, operator));
    const id = String(mail?.id);
    await eventually('the mail is kept', async () => good(await mails.show(id, operator)).state === 'kept');
    return { path: `/admin/mails/${id}`, id: Number(id), token: await service.tokenSent(email) };
  }
  /** As if a mail server had brought the mail this far. */
  const setState = (id: number, state: MailState) =>
    service.database.write(async (trx) => {
      await trx('mails')
        .where({ id })
        .update({ state, error: state === 'failed' ? '550 <no such user>' : null });
    });

  itLong('the text of a mail with a link can be read if it does not arrive, and never otherwise', async () => {
    const { path, id, token } = await mailWithLink('link@example.com');
    for (const [state, isReadable] of [
      ['kept', true],
      ['queued', false],
      ['failed', true],
      ['sent', false],
    ] as const) {
      await setState(id, state);
      const page = await admin.browser.get(path);
      expect([page.status, page.html.includes(token)], state).to.deep.equal([200, false]);
      expect(page.heading, state).to.include('Confirm your e-mail address');
      expect(page.text.includes('is not shown'), state).to.equal(!isReadable);
      expect(
        page.links.some(({ text }) => text === 'Show the text'),
        state,
      ).to.equal(isReadable);
      const shown = await admin.browser.fill(`${path}/text`, {});
      expect([shown.status, shown.html.includes(token)], state).to.deep.equal([200, isReadable]);
      const list = await admin.browser.get('/admin/mails?address=link@example.com');
      expect(list.html.includes(token), `${state}, in the list`).to.equal(false);
      expect(page.html, 'the HTML part').to.not.include('<table');
    }
  });

  it('the text of a mail is shown after the password, if the sign-in was long ago', async () => {
    const { path, token } = await mailWithLink('later@example.com');
    const late = await service.signedInUser({ role: 'admin', email: 'late@example.com' });
    service.clock.advance(2 * hour);
    const refused = await late.browser.fill(`${path}/text`, { current_password: 'wrong' });
    expect([refused.status, refused.html.includes(token)]).to.deep.equal([422, false]);
    const shown = await late.browser.fill(`${path}/text`, { current_password: late.password });
    expect([shown.status, shown.html.includes(token)]).to.deep.equal([200, true]);
  });

  itLong('lists by state and receiver, on pages', async () => {
    const { id } = await mailWithLink('listed@example.com');
    await setState(id, 'failed');
    const find = async (query: string) => {
      const page = await admin.browser.get(`/admin/mails?${query}`);
      return page.links.filter(({ href }) => /mails\/\d+$/.test(href)).length;
    };
    expect(await find('address=LISTED@example.com')).to.equal(1);
    expect(await find('address=listed@example.com&state=failed')).to.equal(1);
    expect(await find('address=listed@example.com&state=sent')).to.equal(0);
    expect(await find('address=listed@example.com&state=odd')).to.equal(1);
    expect(await find(`address=listed@example.com&before=${id}`)).to.equal(0);
    const mails = await service.parts.get(t.mails);
    for (let n = 0; n < 52; n++) good(await mails.sendTest('many@example.com', operator));
    const first = await admin.browser.get('/admin/mails?address=many@example.com');
    const more = first.links.find(({ text }) => text === 'More')?.href ?? '';
    expect(await find('address=many@example.com')).to.equal(50);
    expect(await find(more.replace(/^.*\?/, ''))).to.equal(2);
    expect((await admin.browser.get('/admin/mails?address=nobody')).text).to.include('No mail found');
  });

  itLong('a failed mail shows its error as text, and is tried again; a sent or queued one is not', async () => {
    const { path, id } = await mailWithLink('again@example.com');
    await setState(id, 'failed');
    const page = await admin.browser.get(path);
    expect(page.elements('dd').map(({ text }) => text)).to.include('550 <no such user>');
    const answer = await admin.browser.submit(page, {}, 'Try to send it');
    expect([answer.status, answer.location]).to.deep.equal([303, path]);
    expect((await admin.browser.follow(answer)).notice).to.match(/^The mail is queued\./);
    const kept = async () => (await admin.browser.get(path)).text.includes('Only kept');
    await eventually('the mail is kept again', kept);
    for (const [state, text] of [
      ['sent', 'This mail has been sent already.'],
      ['queued', 'This mail is queued already.'],
    ] as const) {
      await setState(id, state);
      const refused = await admin.browser.post(`${path}/retry`, {});
      expect([refused.status, refused.text.includes(text)], state).to.deep.equal([422, true]);
      expect((await admin.browser.get(path)).forms.some(({ submit }) => submit === 'Try to send it')).to.equal(false);
    }
  });

  itLong('a test mail goes to the own address, or to another one', async () => {
    const form = await admin.browser.get('/admin/mails/test');
    expect(form.forms.at(-1)?.values.address).to.deep.equal([admin.email]);
    for (const address of ['', 'two@example.com, three@example.com', 'x'.repeat(300)]) {
      const refused = await admin.browser.submit(form, { address }, 'Send the mail');
      expect([refused.status, refused.forms.at(-1)?.values.address]).to.deep.equal([422, [address]]);
    }
    const sent = await admin.browser.submit(form, { address: 'Other@example.com' }, 'Send the mail');
    const page = await admin.browser.follow(sent);
    expect(page.heading).to.include('Test e-mail');
    expect(page.text).to.include('other@example.com');
  });

  itLong('an installation without mails says what to do', async () => {
    await using empty = await startDashboardService();
    const { browser } = await empty.signedInUser({ role: 'admin' });
    await empty.database.write(async (trx) => {
      await trx('mails').delete();
    });
    const page = await browser.get('/admin/mails');
    expect(page.text).to.include('No mail yet');
    expect(page.links.filter(({ text }) => text === 'Send a test mail')).to.have.lengthOf(2);
  });

  it('the state of the system is readable, and contains no address of another server and no secret', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8'));
    const page = await admin.browser.get('/admin/system');
    const facts = page.elements('dd').map(({ text }) => text);
    expect(facts).to.include.members([version, process.version, '✓ Works Needed', 'Folder of the server']);
    expect(page.elements('td').map(({ text }) => text)).to.include.members(['users', 'audit_log', 'mails']);
    expect(page.text).to.not.match(/undefined|NaN|\[object/);
  });
});
