import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { keepsAll, startFakeS3 } from '../support/fake-s3.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { s3Server } from '../support/s3.ts';
import { pngOf, zipOf } from '../support/samples.ts';
import { startServer } from '../support/server-process.ts';
import { password } from '../support/sign-in.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { createWebClient } from '../support/web-client.ts';

interface Bucket {
  readonly settings: Record<string, string>;
  close(): Promise<void>;
}

const buckets = [
  {
    name: 'a fake S3 server',
    skip: undefined,
    async open(): Promise<Bucket> {
      const { endpoint, close } = await startFakeS3(keepsAll());
      const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
      return { settings: { FILES_URL: `s3://files?endpoint=${endpoint}`, ...credentials }, close };
    },
  },
  {
    name: 'a real S3 server',
    skip: s3Server.skip,
    async open(): Promise<Bucket> {
      const url = new URL(s3Server.url ?? '');
      url.pathname = `${url.pathname.replace(/\/$/, '')}/test-${randomUUID()}`;
      const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
      return {
        settings: { FILES_URL: url.href, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
        close: async () => undefined,
      };
    },
  },
];

for (const { name, skip, open } of buckets) {
  needing(skipLong ?? skip).describe(`moderation with files on ${name}`, () => {
    it('shows the contents of the newest zip, and lets administrators download it', async () => {
      const folder = await makeTemporaryFolder();
      const bucket = await open();
      try {
        await using server = await startServer({ DATABASE_URL: `sqlite:${folder.file('s3.db')}`, ...bucket.settings });
        const setUp = () => server.log.flatMap(({ setUp: link }) => (typeof link === 'string' ? [link] : []));
        await eventually('the link is printed', () => setUp().length > 0);
        const browser = createWebClient(server.url);
        const [, token = ''] = (setUp()[0] ?? '').split('#');
        await browser.fill('/setup', { token, name: 'Root', email: 'root@example.com', password });

        const zip = await zipOf([
          { name: 'src/Swap.sol', content: 'x'.repeat(2_048) },
          { name: 'README.md', content: 'Read me' },
        ]);
        const fileOf = (bytes: Buffer, filename: string) => new File([new Uint8Array(bytes)], filename);
        const made = await browser.fill('/selling/live/products/new', {
          ...{ title: 'Swap', tagline: 'Swap anything', module: 'dapp', price: '5' },
          description: '# Fast\n\nA decentralised exchange.',
          product_zip: fileOf(zip, 'product.zip'),
          thumbnail: fileOf(pngOf(), 'thumbnail.png'),
        });
        const path = `/admin/products/${(made.location ?? '').split('/').at(-1)}`;
        const shown = await browser.get(path);
        expect([shown.status, shown.heading]).to.deep.equal([200, 'Swap']);
        expect(shown.elements('bdi').map(({ text }) => text)).to.include.members(['src/Swap.sol', 'README.md']);
        expect(shown.text).to.include('2 files, 2.01 KiB unpacked');

        const { location = '' } = await browser.get(`${path}/download`);
        const downloaded = Buffer.from(await (await fetch(location)).arrayBuffer());
        expect(downloaded.equals(zip)).to.equal(true);

        const next = { product_zip: fileOf(await zipOf([{ name: 'next.txt' }]), 'next.zip'), number: '2.0' };
        await browser.fill(`${made.location}/versions/new`, next);
        const after = await browser.get(path);
        expect(after.elements('bdi').map(({ text }) => text))
          .to.include('next.txt')
          .and.to.not.include('src/Swap.sol');
        expect(await server.stop('SIGTERM')).to.equal(0);
      } finally {
        await bucket.close();
        await folder.remove();
      }
    });
  });
}
