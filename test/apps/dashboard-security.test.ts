import { expect } from 'chai';
import qr from 'jsqr';
import {
  type DashboardService,
  type Person,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { codeAt } from '../support/sign-in.ts';
import { createWebClient, type WebAnswer } from '../support/web-client.ts';

const entry = '/account/security';
const pages = ['', '/name', '/password', '/email', '/email/verification', '/second-factor', '/second-factor/off'];

needing(chromium.skip).describe('the pages about sign-in and security in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  /** An administrator with a long name without a second factor, and a user with a name from right to left with one. */
  let people: Readonly<Record<string, Person>>;
  before(async () => {
    service = await startDashboardService();
    browser = await openBrowser();
    const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(4);
    people = {
      'an administrator': await service.signedInUser({
        role: 'admin',
        name: longName,
        email: `${'long.'.repeat(10)}name@${'sub.'.repeat(12)}example.com`,
      }),
      'a user with a second factor': await service.secure(await service.signedInUser({ name: 'أحمد بن عبد الله' })),
    };
    for (const { email } of Object.values(people)) {
      await service.signIn(service.browser({ 'User-Agent': 'curl/8.5.0' }), { email });
    }
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });
  const personOf = (who: string) => people[who] ?? expect.fail(who);

  async function openFor(who: string, path: string) {
    const page = await browser.newPage();
    const { cookies } = personOf(who).browser;
    await page.setCookie(...[...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto(`${service.url}${entry}${path}`);
    return page;
  }

  it('/account/notifications has no fault, with notifications and without', async () => {
    for (const { browser: visitor } of [personOf('an administrator'), await service.signedInUser()]) {
      await browser.checkPage(`${service.url}/account/notifications`, { cookies: visitor.cookies });
    }
  });

  for (const who of ['an administrator', 'a user with a second factor']) {
    for (const path of [...pages, '/recovery-codes']) {
      it(`${entry}${path} has no fault for ${who}`, () =>
        browser.checkPage(`${service.url}${entry}${path}`, { cookies: personOf(who).browser.cookies }));
    }
  }

  it('a form with error messages is accessible too', async () => {
    const { cookies } = personOf('an administrator').browser;
    await browser.checkPage(`${service.url}${entry}/second-factor`, { cookies, send: { code: '000000' }, status: 422 });
    await browser.checkPage(`${service.url}${entry}/password`, { cookies, send: { password: 'short' }, status: 422 });
  });

  it('a scanner reads the address for the app in the QR code', async () => {
    const page = await openFor('an administrator', '/second-factor');
    try {
      // Each module is asked of the browser, so the test reads what it draws.
      const { size, dark, link } = await page.evaluate(() => {
        const { x, y, width: size } = (document.querySelector('svg.qr') as SVGSVGElement).viewBox.baseVal;
        const path = document.querySelector('svg.qr path') as SVGPathElement;
        const at = Array.from({ length: size * size }, (_, n) => [
          x + (n % size) + 0.5,
          y + Math.floor(n / size) + 0.5,
        ]);
        const link = document.querySelector<HTMLAnchorElement>('a[href^="otpauth:"]')?.href;
        return { size, dark: at.map(([x, y]) => path.isPointInFill(new DOMPoint(x, y))), link };
      });
      expect(decoded(size, dark))
        .to.equal(link)
        .and.to.match(/^otpauth:/);
    } finally {
      await page.close();
    }
  });

  it('a button copies the recovery codes', async () => {
    const page = await openFor('a user with a second factor', '/recovery-codes');
    try {
      await page.browserContext().overridePermissions(service.url, ['clipboard-read', 'clipboard-write']);
      await Promise.all([page.waitForNavigation(), page.click('main .form button[type=submit]')]);
      await page.click('.secret button');
      await page.waitForFunction("document.querySelector('.secret button').textContent === 'Copied'");
      const copied = String(await page.evaluate('navigator.clipboard.readText()'));
      expect(copied.split('\n')).to.have.lengthOf(10);
      expect(copied).to.equal(await page.evaluate("document.querySelector('textarea').value"));
    } finally {
      await page.close();
    }
  });
});

/** Returns the content of a QR code. Scanners read an image, so each module becomes 4 by 4 pixels. */
function decoded(size: number, dark: readonly boolean[]): string | undefined {
  const width = size * 4;
  const image = new Uint8ClampedArray(width * width * 4);
  for (let n = 0; n < width * width; n++) {
    const [x, y] = [Math.floor((n % width) / 4), Math.floor(n / width / 4)];
    const shade = dark[y * size + x] ? 0 : 255;
    image.set([shade, shade, shade, 255], n * 4);
  }
  return qr.default(image, width, width)?.data;
}

needing(skipLong).describe('the log', () => {
  it('contains no password, secret, code or token of the pages about sign-in and security', async () => {
    await using server = await startServer({
      DATABASE_URL: 'memory:',
      FILES_URL: 'temporary:',
      LOG_LEVEL: 'trace',
    });
    const link = () => server.log.find(({ setUp }) => setUp !== undefined)?.setUp;
    await eventually('the link of the set-up', () => link() !== undefined);
    const browser = createWebClient(server.url);
    const passwords = ['correct horse battery', 'a canary sings at dawn', 'wrong canary password'] as const;
    const [first, second, wrong] = passwords;
    const tokens: string[] = [];
    const done = (answer: WebAnswer) => {
      tokens.push(browser.cookies.get('session') ?? '');
      expect(answer.status, answer.path).to.be.oneOf([200, 303]);
      return answer;
    };
    const token = String(link()).split('#')[1] ?? '';
    done(await browser.fill('/setup', { token, name: 'Canary', email: 'canary@example.com', password: first }));
    done(await browser.fill(`${entry}/password`, { password: second }));
    expect((await browser.post(`${entry}/password`, { password: 'short', current_password: wrong })).status).to.equal(
      422,
    );
    const form = await browser.get(`${entry}/second-factor`);
    const secret = String(form.forms.find(({ values }) => values.secret)?.values.secret);
    const code = codeAt(secret, Date.now());
    const shown = done(await browser.submit(form, { code }));
    const codes = shown.elements('textarea')[0]?.text.split(' ') ?? [];
    expect(codes).to.have.lengthOf(10);
    expect((await browser.submit(form, { code })).status).to.equal(422);
    done(await browser.submit(await browser.get(`${entry}/second-factor/off`), {}, 'Turn off'));

    await server.stop('SIGTERM');
    expect(server.log.length).to.be.greaterThan(5);
    const all = JSON.stringify(server.log) + server.errors();
    const canaries = [...passwords, secret, ...codes, ...codes.map((one) => one.replaceAll('-', '')), ...tokens];
    expect(canaries.filter((canary) => canary === '' || all.includes(canary))).to.deep.equal([]);
  });
});
