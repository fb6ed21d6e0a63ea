import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { accountEnvelope } from '../../../../adapters/http/envelopes.ts';
import { openApiDocument } from '../../../../adapters/http/openapi/document.ts';
import { createDocs, type Documentation } from '../../../../adapters/http/site/docs-page.ts';
import type { State } from '../../../../adapters/http/state.ts';
import { createRouting } from '../../../../adapters/http/surface.ts';
import { made } from '../../../support/made.ts';
import { itLong } from '../../../support/required-service.ts';

/** Serves the documentation. `ask` returns what a visitor reads, and the body is added to `bodies`. */
async function serveDocs(document: Documentation['document']) {
  const person = {
    name: 'Eve',
    isAdmin: false,
    unread: 0,
    waitingOrders: 0,
    waitingProducts: 0,
    sells: true,
    needsSecondFactor: false,
  };
  const endpoints = createDocs({
    guides: new URL('../../../../apps/docs/', import.meta.url),
    renamed: {},
    document,
    urlOf: () => 'https://site.example',
    url: 'https://shop.example',
    frameOf: async (ctx) => ({ site: 'Latchkey', root: '../', ...(ctx.get('Cookie') !== '' && { person }) }),
  });
  const quotaOf = () => ({ subject: '', allowances: [] });
  const surface = { name: 'pages', endpoints, envelope: accountEnvelope, quotaOf };
  const answer = createRouting([made(() => true, surface)], undefined)('/');
  const bodies: unknown[] = [];
  const app = new Koa<State>();
  app.silent = true;
  app.use(async (ctx, next) => {
    await answer(ctx, next);
    bodies.push(ctx.body);
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const call = (path: string, headers = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers });
  return {
    bodies,
    ask: async (path: string, headers = {}) => (await call(path, headers)).text(),
    statusOf: async (path: string) => (await call(path)).status,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('the guides for programs', () => {
  itLong('are listed at /llms.txt with what they are about, and are Markdown at their address with .md', async () => {
    const { ask, statusOf, close } = await serveDocs(() => ({ paths: {} }) as never);
    try {
      const list = await ask('/llms.txt');
      expect(list).to.match(
        /^# Latchkey documentation\n\n> .+\n\n## You buy\n\n- \[Buying\]\(https:\/\/shop\.example\/docs\/buying\.md\): .+\n/,
      );
      const addresses = Array.from(list.matchAll(/\]\(https:\/\/shop\.example(\/[^)#]+)/g), ([, path = '']) => path);
      expect(addresses).to.include('/docs/license-api.md').and.include('/openapi.json');
      for (const path of addresses) expect(await statusOf(path), path).to.equal(200);
      expect(await ask('/docs/license-api.md')).to.match(/^# License API\n/);
      expect(await ask('/docs/README.md')).to.match(/^# Latchkey documentation\n/);
      for (const path of ['/docs/package.json.md', '/docs/..%2Fembed.md', '/docs/unknown.md'])
        expect(await ask(path, { Accept: 'text/html' }), path).to.include('<h1>Not found</h1>');
    } finally {
      close();
    }
  });
});

describe('a JSON file beside the guides', () => {
  it('is sent as it is, and no file of another folder', async () => {
    const { ask, close } = await serveDocs(() => ({ paths: {} }) as never);
    try {
      expect(JSON.parse(await ask('/docs/n8n-form.json')).nodes[0].name).to.equal('Form arrives');
      for (const path of ['/docs/vectors%2Fleases.json', '/docs/..%2F..%2Fpackage.json', '/docs/unknown.json'])
        expect(await ask(path, { Accept: 'text/html' }), path).to.include('<h1>Not found</h1>');
    } finally {
      close();
    }
  });
});

describe('a guide', () => {
  it('has an address and a picture for other sites; a page that does not exist has none', async () => {
    const { ask, close } = await serveDocs(() => ({ paths: {} }) as never);
    try {
      for (const [path, title] of [
        ['/docs', 'Latchkey documentation'],
        ['/docs/selling', 'Selling'],
      ] as const) {
        const html = await ask(path);
        expect(html).to.include(`<link rel="canonical" href="https://shop.example${path}"/>`);
        expect(html).to.include('property="og:image" content="https://shop.example/share/site.jpg"');
        expect(html).to.include(`property="og:title" content="${title}"`);
        expect(html.includes('"@type":"BreadcrumbList"')).to.equal(path !== '/docs');
      }
      const none = await ask('/docs/nothing', { Accept: 'text/html' });
      expect(none).to.include('<meta name="robots" content="noindex"/>').and.to.not.include('canonical');
    } finally {
      close();
    }
  });

  it('is sent to all visitors as the same bytes, and to each person who is signed in as their own', async () => {
    const { bodies, ask, close } = await serveDocs(() => {
      throw new Error('A guide needs no document.');
    });
    try {
      for (const path of ['/docs/buying', '/docs/buying', '/docs/selling']) await ask(path);
      expect(await ask('/docs/buying', { Cookie: 'session=1' })).to.include('../account"');
      expect(await ask('/docs/buying')).to.include('../sign-in"');
      const [first, second, other, own, third] = bodies;
      expect(first).to.be.instanceOf(Buffer);
      expect([second === first, third === first, own === first, other === first]).to.deep.equal([
        true,
        true,
        false,
        false,
      ]);
    } finally {
      close();
    }
  });
});

describe('the search of the guides', () => {
  itLong('200: the parts that were found, with the words as they were typed', async () => {
    const { ask, statusOf, close } = await serveDocs(() => {
      throw new Error('A search needs no document.');
    });
    try {
      const found = await ask('/docs?q=Delete+versions');
      expect(found).to.include('<a href="docs/selling#delete-versions">Delete versions</a>');
      expect(found).to.include('<meta name="robots" content="noindex"/>').and.to.include('value="Delete versions"');
      const none = await ask('/docs?q=%3Cb%3E"qqqqqqqq');
      expect(none).to.include('No guide has these words.').and.to.include('&lt;b>&quot;qqqqqqqq');
      expect(none).to.not.include('<b>');
      for (const query of ['?q=', '?q=%20', '?q=a&q=b']) {
        expect(await ask(`/docs${query}`), query).to.equal(await ask('/docs'));
      }
      expect(await statusOf(`/docs?q=${'x'.repeat(5000)}`)).to.equal(200);
      const { settings, parts } = JSON.parse(await ask('/docs/assets/search.json'));
      expect(settings.fields).to.deep.equal(['title', 'text']);
      expect(parts.map(({ id }: { id: string }) => id)).to.include('selling#delete-versions');
    } finally {
      close();
    }
  });
});

describe('the API reference', () => {
  it('is made from the same document as /openapi.json, which is made once', async () => {
    let tries = 0;
    const { ask, close } = await serveDocs(() => {
      tries += 1;
      return openApiDocument({ apis: [], webhooks: [], url: 'https://site.example', version: '1' });
    });
    try {
      expect(await ask('/docs/reference')).to.include('id="schemas"');
      expect(JSON.parse(await ask('/openapi.json'))).to.include({ openapi: '3.1.0' });
      expect(tries).to.equal(1);
    } finally {
      close();
    }
  });

  it('is made again if it could not be made before', async () => {
    let tries = 0;
    const { statusOf, close } = await serveDocs(() => {
      tries += 1;
      if (tries === 1) throw new Error('broken once');
      return openApiDocument({ apis: [], webhooks: [], url: 'https://site.example', version: '1' });
    });
    try {
      expect([await statusOf('/docs/reference'), await statusOf('/docs/reference')]).to.deep.equal([500, 200]);
    } finally {
      close();
    }
  });
});
