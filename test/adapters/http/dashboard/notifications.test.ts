import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const list = '/account/notifications';

describe('the page of notifications', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService();
  });
  after(() => service.close());

  /** Signs in from new browsers. Each sign-in makes a notification. */
  async function toldUser(times: number): Promise<Person> {
    const person = await service.signedInUser();
    for (let n = 1; n <= times; n++) {
      await service.signIn(service.browser({ 'User-Agent': `<b>Browser ${n}</b>` }), person);
      service.clock.advance(60 * 60_000);
    }
    return person;
  }
  async function idsOf(person: Person): Promise<number[]> {
    const notifications = await service.parts.get(t.notifications);
    return (await notifications.list((await person.me()).login.id, { limit: 100 })).map(({ id }) => id);
  }
  async function unreadOf(person: Person): Promise<number> {
    return await (await service.parts.get(t.notifications)).countUnread((await person.me()).login.id);
  }

  itLong('shows what happened, escaped, and says so if there is nothing', async () => {
    const nobody = await service.signedInUser();
    const empty = await nobody.browser.get(list);
    expect([empty.status, empty.html.includes('No notifications')]).to.deep.equal([200, true]);
    const person = await toldUser(1);
    const { status, html, headers } = await person.browser.get(list);
    expect([status, headers.get('Cache-Control')]).to.deep.equal([200, 'no-store']);
    expect(html).to.include('Sign-in from a new browser').and.not.include('<b>Browser');
    const leads = (await person.browser.get(list)).links.filter(({ text }) => text === 'Sign-in from a new browser');
    expect(leads.map(({ href }) => href)).to.deep.equal(['../account/security']);
  });

  itLong('marks one or all as read, and dismisses one or all, but none that came after the page', async () => {
    const person = await toldUser(3);
    const [newest = 0, middle = 0, oldest = 0] = await idsOf(person);
    const act = async (path: string) => (await person.browser.post(`${list}/${path}`, {})).status;
    expect(await unreadOf(person)).to.equal(3);
    expect(await act(`${oldest}/read`)).to.equal(303);
    expect(await unreadOf(person)).to.equal(2);
    expect(await act(`all/${middle}/read`)).to.equal(303);
    expect(await unreadOf(person)).to.equal(1);
    expect(await act(`${oldest}/dismiss`)).to.equal(303);
    expect(await idsOf(person)).to.deep.equal([newest, middle]);
    expect(await act(`all/${middle}/dismiss`)).to.equal(303);
    expect(await idsOf(person)).to.deep.equal([newest]);
  });

  itLong('has pages whose place stands in the address', async () => {
    const person = await toldUser(26);
    const ids = await idsOf(person);
    const first = await person.browser.get(list);
    expect(first.html.match(/class="entry/g)).to.have.lengthOf(25);
    const second = await person.browser.get(`${list}?before=${ids[24]}`);
    expect(second.html.match(/class="entry/g)).to.have.lengthOf(1);
    expect((await person.browser.get(`${list}?before=999999999999999`)).status).to.equal(200);
    expect((await person.browser.get(`${list}?before=x`)).status).to.equal(200);
  });

  it('changes nothing of other people, and nothing for pages of other sites', async () => {
    const [owner, other] = [await toldUser(1), await service.signedInUser()];
    const [id] = await idsOf(owner);
    for (const act of ['read', 'dismiss']) {
      for (const path of [`${list}/${id}/${act}`, `${list}/all/${id}/${act}`]) {
        expect((await other.browser.post(path, {})).status).to.equal(303);
        const foreign = await owner.browser.post(path, {}, { 'Sec-Fetch-Site': 'cross-site' });
        expect(foreign.status).to.equal(403);
        expect((await service.browser().post(path, {})).location).to.match(/sign-in/);
      }
    }
    expect([await idsOf(owner), await unreadOf(owner)]).to.deep.equal([[id], 1]);
  });

  it('404 for an id that is none, 405 for another method', async () => {
    const person = await service.signedInUser();
    expect((await person.browser.post(`${list}/x/read`, {})).status).to.equal(404);
    expect((await person.browser.get(`${list}/1/read`)).status).to.equal(405);
  });
});
