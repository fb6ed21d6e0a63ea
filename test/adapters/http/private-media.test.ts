import { expect } from 'chai';
import { z } from 'zod';
import { openService } from '../../../apps/server/open-service.ts';
import { compose } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { KeyMode } from '../../../core/accounts/api-key.ts';
import { isRefused } from '../../../core/refusal.ts';
import { operator } from '../../support/by.ts';
import { formOf, listingForm } from '../../support/forms.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { openS3, s3Server } from '../../support/s3.ts';
import { pngOf } from '../../support/samples.ts';
import { startAccountService } from './account/account-service.ts';

const uploadPath = '/api/marketplace/upload';
const publishPath = '/api/marketplace/publish';
const image = pngOf();

describe('a file that a test key uploads', () => {
  itLong('can be loaded only with a signed link, which expires like a download link', async () => {
    await using service = await startAccountService({ DOWNLOAD_LINK_LIFETIME: '60' });
    const test = await service.account('free', 'test');
    const { status, body } = await test.submit(uploadPath, formOf({ file: image }));
    expect([status, body.livemode, body.size]).to.deep.equal([200, false, image.length]);
    expect(body.filename).to.match(/^[0-9a-f]{32}\.png$/);
    const url = new URL(body.url);
    const loaded = await fetch(url);
    expect([loaded.status, loaded.headers.get('content-type'), loaded.headers.get('cache-control')]).to.deep.equal([
      200,
      'image/png',
      'private, no-store',
    ]);
    expect(Buffer.from(await loaded.arrayBuffer()).equals(image)).to.equal(true);
    for (const path of [
      `/media/${body.filename}`,
      `/private/${body.filename}`,
      `/media/..%2fprivate%2f${body.filename}`,
      url.pathname,
      `${url.pathname}${url.search}x`,
      `/files/media/${body.filename}${url.search}`,
    ]) {
      expect((await service.send(path)).status, path).to.equal(404);
    }
    service.clock.advance(60_000);
    expect((await fetch(url)).status).to.equal(403);
  });

  itLong('has livemode: false, and a file of a live key has livemode: true', async () => {
    await using service = await startAccountService();
    const live = await service.account('free');
    const test = await service.keyOf(live.user, { mode: 'test' });
    const answers = [live, test].map((account) => account.submit(uploadPath, formOf({ file: image })));
    expect((await Promise.all(answers)).map(({ body }) => body.livemode)).to.deep.equal([true, false]);
  });

  it('is shown only in the preview of its product and to its owner', async () => {
    await using service = await startAccountService();
    const test = await service.account('free', 'test');
    const { body } = await test.submit(publishPath, listingForm());
    const page = (await service.send(body.marketplace_url.slice(service.url.length))).text;
    const source = /<img src="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(source).to.match(/^\/files\/private\/[0-9a-f]{32}\.png\?/);
    expect((await service.send(source)).status).to.equal(200);
    const [{ thumbnail_url }] = (await test.get('/api/marketplace/my-products')).body.data;
    expect((await fetch(thumbnail_url)).status).to.equal(200);
    const name = source.slice('/files/private/'.length).split('?')[0];
    for (const path of [`/media/${name}`, `/files/private/${name}`]) {
      expect((await service.send(path)).status, path).to.equal(404);
    }
  });

  needing(s3Server.skip).it('can be loaded only with a signed link from S3 too', async () => {
    const bucket = await openS3();
    const url = new URL(s3Server.url ?? '');
    url.pathname = `/${bucket.options.prefix}`;
    const wanted = readConfig({
      LOG_LEVEL: 'silent',
      RATE_LIMIT_URL: 'off:',
      DATABASE_URL: 'memory:',
      FILES_URL: url.href,
      PORT: '0',
    });
    const service = await openService(wanted, (config) => compose(config), 'localhost');
    try {
      const base = `http://localhost:${service.port}`;
      const accounts = await service.parts.get(t.accounts);
      const user = await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator);
      if (isRefused(user)) throw new Error(user.reason);
      const upload = async (mode: KeyMode) => {
        const made = await accounts.createKey(
          user.email,
          { name: mode, mode, scopes: null, expiresAt: null },
          operator,
        );
        if (isRefused(made)) throw new Error(made.reason);
        const headers = { 'X-API-Key': made.secret };
        const answer = await fetch(base + uploadPath, { method: 'POST', headers, body: formOf({ file: image }) });
        return z.object({ url: z.string(), filename: z.string() }).parse(await answer.json());
      };
      const [live, test] = [await upload('live'), await upload('test')];
      expect((await fetch(`${base}/media/${live.filename}`)).status).to.equal(200);
      expect(live.url).to.equal(`${base}/media/${live.filename}`);
      const signed = new URL(test.url);
      expect([signed.origin === new URL(base).origin, signed.searchParams.has('X-Amz-Signature')]).to.deep.equal([
        false,
        true,
      ]);
      expect((await fetch(signed)).status).to.equal(200);
      expect((await fetch(`${base}/media/${test.filename}`)).status).to.equal(404);
      expect((await fetch(signed.origin + signed.pathname)).status).to.equal(403);
    } finally {
      await service.close(0);
      await bucket.close();
    }
  });
});
