import { expect } from 'chai';
import { pageMemory } from '../../../apps/wiring/page-memory.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { itLong } from '../../support/required-service.ts';
import { type DashboardService, startDashboardService } from './dashboard/dashboard-service.ts';

/** Nobody waits here: the first call renders, the second keeps its answer, the third gets it. */
const calls = 3;

describe('answers that are kept for visitors', () => {
  const open = async (settings: Record<string, string> = {}) => {
    const service = await startDashboardService(settings);
    const product = good(await service.products.add({ title: 'Jar', ownerId: null }, operator));
    good(await service.products.change(String(product.id), 'approve', operator));
    const answers = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(service.url + path, {
        method,
        headers: { Accept: 'text/html', 'Cache-Control': 'max-age=0', 'X-Request-Id': 'same', ...headers },
      });
    return { service, product, answers, [Symbol.asyncDispose]: () => service.close() };
  };
  const inFull = async (answer: Response) => ({
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !/^(?:date|.*ratelimit.*)$/.test(name))),
    text: await answer.text(),
  });
  const rename = async (service: DashboardService, product: Product, title: string) => {
    const by = { actor: operator, mode: 'live' } as const;
    good(await (await service.parts.get(t.sellerProducts)).change(String(product.id), { title }, by));
  };

  itLong('are the same as those of the application, header by header, in each encoding and as 304', async () => {
    await using site = await open();
    const memory = await site.service.parts.get(pageMemory);
    const paths = ['/', '/marketplace', `/marketplace/${site.product.slug}`, '/docs', '/docs/selling', '/openapi.json'];
    for (const path of [...paths, '/assets/style.css', '/marketplace?q=jar', '/marketplace/none']) {
      for (const encoding of ['br', 'gzip', 'identity']) {
        const seen = [];
        for (let call = 0; call < calls; call++)
          seen.push(await inFull(await site.answers(path, { 'Accept-Encoding': encoding })));
        expect(seen[2], path).to.deep.equal(seen[0]);
        expect(seen[1], path).to.deep.equal(seen[0]);
        const etag = seen[0]?.headers.etag;
        const kept = memory.findAnswer(`${path}\ntext/html\n${encoding}`);
        expect(kept !== undefined, `${path} is kept`).to.equal(etag !== undefined);
        if (etag === undefined) continue;
        const same = { 'If-None-Match': etag, 'Accept-Encoding': encoding };
        const unchanged = await inFull(await site.answers(path, same));
        expect(unchanged.status, path).to.equal(304);
        const { text, headers, ...rest } = await inFull(
          await site.answers(path, { ...same, Accept: 'text/html, */*;q=0.1' }),
        );
        expect(unchanged, path).to.deep.equal({ ...rest, headers, text });
        // The application answers this one: it knows no date, so it sends everything.
        const other = await site.answers(path, { ...same, 'If-Modified-Since': new Date(0).toUTCString() });
        expect([other.status, await other.text()], path).to.deep.equal([200, seen[0]?.text]);
      }
    }
  });

  itLong('are gone at once after a change', async () => {
    await using site = await open();
    const path = `/marketplace/${site.product.slug}`;
    for (const title of ['One', 'Two', 'Three']) {
      await rename(site.service, site.product, title);
      for (let call = 0; call < calls; call++)
        expect(await (await site.answers(path)).text(), `${call}`).to.include(title);
    }
  });

  it('count against the limit of the address like all others, and are refused once', async () => {
    await using site = await open({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '6' });
    const left: (string | null)[] = [];
    for (let call = 0; call < 6; call++) {
      const { status, headers } = await site.answers('/marketplace');
      expect(status).to.equal(200);
      left.push(headers.get('X-RateLimit-Remaining'));
    }
    expect(left).to.deep.equal(['5', '4', '3', '2', '1', '0']);
    const refused = await site.answers('/marketplace');
    expect([refused.status, (await refused.json()).error.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect((await site.answers('/')).status).to.equal(429);
    const metrics = await (await site.service.parts.get(t.registry)).metrics();
    const counted = (outcome: string) =>
      new RegExp(`calls_total{surface="pages",outcome="${outcome}".*} (\\d+)`).exec(metrics)?.[1];
    expect([counted('allowed'), counted('refused')]).to.deep.equal(['6', '2']);
  });

  it('are not for people with a session, other methods, or requests that name two hosts', async () => {
    await using site = await open();
    for (let call = 0; call < calls; call++) await (await site.answers('/marketplace')).text();
    const ada = await site.service.signedInUser();
    const Cookie = [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (let call = 0; call < calls; call++) {
      expect(await (await site.answers('/marketplace', { Cookie })).text()).to.include('sign-out');
      expect(await (await site.answers('/marketplace')).text()).to.not.include('sign-out');
    }
    const head = await site.answers('/marketplace', {}, 'HEAD');
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    expect((await site.answers('/marketplace', {}, 'DELETE')).status).to.equal(405);
  });
});
