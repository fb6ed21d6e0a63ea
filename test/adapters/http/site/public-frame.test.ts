import { expect } from 'chai';
import type { Context } from '../../../../adapters/http/state.ts';
import { createCookies } from '../../../../adapters/http/visitor/cookies.ts';
import { publicFrame } from '../../../../adapters/http/visitor/frame-of.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { startDoor } from '../../../support/postgres-door.ts';
import { itLong, needing } from '../../../support/required-service.ts';
import { postgres } from '../../../support/sql-databases.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type DashboardService, startDashboardService } from '../dashboard/dashboard-service.ts';

const paths = [
  '/',
  '/marketplace/jar',
  '/marketplace/nothing',
  '/docs',
  '/docs/configuration',
  '/docs/nothing',
  '/docs/reference',
  '/nothing',
  '/api/nothing',
];
const shownIn = ({ links, elements }: WebAnswer) => ({
  signIn: links.some(({ text }) => text === 'Sign in'),
  // In the reference, a link in the page has this name too.
  account: links.some(({ text, href }) => text === 'Account' && !href?.startsWith('#')),
  administration: links.some(({ href }) => /^(?:\.\.?\/)+admin$/.test(href)),
  bell: elements('a').some(({ attributes }) => attributes.class === 'bell'),
});

describe('the header of public pages', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService();
    const { id } = good(await service.products.add({ title: 'Jar', ownerId: null }, operator));
    await service.products.change(String(id), 'approve', operator);
  });
  after(() => service.close());

  itLong('shows who is signed in, the link for administrators, or the link to sign in', async () => {
    const [user, admin] = [await service.signedInUser(), await service.signedInUser({ role: 'admin' })];
    for (const path of paths) {
      const nobody = await service.browser().get(path);
      expect(shownIn(nobody), path).to.deep.equal({ signIn: true, account: false, administration: false, bell: false });
      const known = await user.browser.get(path);
      expect(shownIn(known), path).to.deep.equal({ signIn: false, account: true, administration: false, bell: true });
      expect(shownIn(await admin.browser.get(path)).administration, path).to.equal(true);
      for (const { headers } of [nobody, known]) expect(headers.get('Vary'), path).to.match(/\bCookie\b/);
      const kept = known.headers.get('Cache-Control');
      expect(kept, path).to.equal(known.status === 200 ? 'private, no-cache' : 'no-store');
      const again = await user.browser.get(path, {
        'If-None-Match': nobody.headers.get('ETag') ?? '"none"',
        'Cache-Control': 'max-age=0',
      });
      expect(again.status, `${path} of before sign-in is not fresh`).to.equal(known.status);
    }
  });

  itLong('has the guides for developers where people sell; buyers find them at the end of the page', async () => {
    const guides = ({ links }: WebAnswer) =>
      links.filter(({ href }) => /^(?:\.\.?\/)+docs$/.test(href)).map(({ text }) => text);
    const [guest, user] = [service.browser(), await service.signedInUser()];
    expect(guides(await guest.get('/marketplace/jar'))).to.deep.equal(['For developers']);
    expect(guides(await user.browser.get('/marketplace/jar'))).to.deep.equal(['Guides', 'For developers']);
    expect(guides(await guest.get('/docs/buying'))).to.include('Guides');
    const titleOf = async (browser: WebClient) => (await browser.get('/')).elements('h2').map(({ text }) => text);
    expect(await titleOf(guest)).to.not.include('For developers');
    expect(await titleOf(user.browser)).to.include('For developers');
  });

  it('has only the guides for buyers beside them, for who does not sell', async () => {
    const [guest, seller] = [service.browser(), (await service.signedInUser()).browser];
    const beside = async (browser: WebClient) => (await browser.get('/docs/buying')).links.map(({ text }) => text);
    expect(await beside(guest))
      .to.include('Your account')
      .and.include('All guides')
      .and.not.include('Operating');
    expect(await beside(seller)).to.include('Operating');
  });

  it('forgets who is signed in when the session ends, and ignores an invalid cookie', async () => {
    const { browser, email } = await service.signedInUser();
    await (await service.parts.get(t.userAdministration)).suspend(email, operator);
    for (const cookie of [browser.cookies.get('session') ?? '', 'x', 'a'.repeat(64)]) {
      browser.cookies.set('session', cookie);
      expect(shownIn(await browser.get('/'))).to.include({ signIn: true, account: false });
    }
  });

  itLong('does not look up the session for files, assets and documents', async () => {
    const { browser } = await service.signedInUser();
    for (const path of ['/openapi.json', '/assets/style.css', '/docs/assets/reference.js']) {
      const { status, headers } = await browser.get(path);
      expect([status, headers.get('Vary')?.includes('Cookie') ?? false], path).to.deep.equal([200, false]);
    }
  });

  it('does not read from the database without a cookie', async () => {
    let asked = 0;
    const frame = publicFrame({
      sessions: {
        async authenticate() {
          asked++;
          return undefined;
        },
      },
      cookies: createCookies(false),
      unread: async () => 0,
      waitingOrders: async () => 0,
      waitingProducts: async () => 0,
      ordersToDo: async () => 0,
      sells: async () => true,
      site: () => ({ site: 'Acme' }),
    });
    const contextWith = (session: string | undefined) =>
      ({ path: '/docs/a', state: {}, vary: () => undefined, cookies: { get: () => session } }) as unknown as Context;
    expect(await frame(contextWith(undefined))).to.deep.equal({ site: 'Acme', root: '../' });
    expect(asked).to.equal(0);
    expect(await frame(contextWith('x'))).to.deep.equal({ site: 'Acme', root: '../' });
    expect(asked).to.equal(1);
  });
});

needing(postgres.skip).describe('pages that need no database', () => {
  it('answer during an outage of the database, even to somebody who is signed in', async () => {
    const place = await postgres.make();
    try {
      await using door = await startDoor(place.url);
      await using service = await startDashboardService({ DATABASE_URL: door.url });
      const { browser } = await service.signedInUser();
      expect(shownIn(await browser.get('/docs'))).to.include({ account: true });
      door.leadTo('postgres://127.0.0.1:1/nothing');
      for (const path of ['/docs', '/docs/configuration', '/nothing']) {
        const answer = await browser.get(path);
        expect(answer.status, path).to.equal(path === '/nothing' ? 404 : 200);
        expect(shownIn(answer), path).to.include({ signIn: true, account: false });
      }
      const account = await browser.post('/sign-out', {});
      expect([account.status, account.headers.get('Retry-After')]).to.deep.equal([503, '1']);
      expect(account.headers.getSetCookie(), 'the session is kept for later').to.deep.equal([]);
      expect((await service.browser().get('/sign-in')).status).to.equal(200);
      door.leadTo(place.url);
    } finally {
      await place.remove();
    }
  });
});
