import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateMultipartUploadCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import fc from 'fast-check';
import { attachment } from '../../../adapters/files/s3/links.ts';
import { openS3Storage, type S3Options, type S3Storage } from '../../../adapters/files/s3/storage.ts';
import { parseS3Url } from '../../../adapters/files/s3/url.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { until } from '../../support/eventually.ts';
import { needing } from '../../support/required-service.ts';
import { type OpenedS3, openS3, s3Server } from '../../support/s3.ts';
import { type Fate, type S3Proxy, startS3Proxy } from '../../support/s3-proxy.ts';

const second = 1_000;
const hour = 3_600 * second;
const week = 7 * 24 * hour;
/** More than two parts of a large upload. */
const large = 12_000_000;

const exists = async (path: string) => (await errorOf(access(path))) === undefined;

describe('the URL of a bucket', () => {
  it('contains the bucket and the optional prefix and parameters', () => {
    expect(parseS3Url('s3://files')).to.deep.equal({ bucket: 'files' });
    expect(parseS3Url('s3://files/')).to.deep.equal({ bucket: 'files' });
    expect(parseS3Url('s3://my.files-1/a/b_c/')).to.deep.equal({ bucket: 'my.files-1', prefix: 'a/b_c' });
    expect(
      parseS3Url('s3://files/live?endpoint=http://127.0.0.1:9000/&region=eu-central-1&path_style=true'),
    ).to.deep.equal({
      bucket: 'files',
      prefix: 'live',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-central-1',
      forcePathStyle: true,
    });
    const encoded = 's3://files?endpoint=https%3A%2F%2Fs3.example%2Fstorage%2Fv1&path_style=false';
    expect(parseS3Url(encoded)).to.deep.equal({
      bucket: 'files',
      endpoint: 'https://s3.example/storage/v1',
      forcePathStyle: false,
    });
  });

  const wrong = {
    '': /^must be s3:/,
    files: /^must be s3:/,
    's3:files': /^must be s3:/,
    's3://': /^must be s3:/,
    's3:///prefix': /^must be s3:/,
    'http://files': /^must be s3:/,
    's3://files:9000': /^must be s3:/,
    's3://key:secret@files': /credentials.+AWS_ACCESS_KEY_ID/,
    's3://ab': /^has no valid bucket name: /,
    's3://My_Files': /^has no valid bucket name: /,
    's3://files/a//b': /^has a wrong prefix/,
    's3://files/a%20b': /^has a wrong prefix/,
    's3://files?endpoint=localhost:9000': /^has a wrong endpoint/,
    's3://files?endpoint=ftp://host': /^has a wrong endpoint/,
    's3://files?endpoint=http://key:secret@host': /^has a wrong endpoint/,
    's3://files?endpoint=': /^has a wrong endpoint/,
    's3://files?region=Frankfurt': /^has a wrong region/,
    's3://files?path_style=yes': /^has a wrong path_style/,
    's3://files?endpont=http://host': /^has an unknown parameter/,
    's3://files?region=a&region=b': /^has region more than once/,
  };
  for (const [text, why] of Object.entries(wrong)) {
    it(`is refused with a reason: ${text || 'an empty text'}`, () => {
      expect(() => parseS3Url(text)).to.throw(why);
    });
  }
});

/**
 * Returns the name under which a browser saves a file, by RFC 6266: the encoded form if there is one, or else the
 * plain one.
 */
function savedAs(disposition: string): string {
  const { encoded, plain } =
    /^attachment; filename="(?<plain>[^"\\]*)"(?:; filename\*=UTF-8''(?<encoded>[\w!#$&+.^`|~%-]*))?$/.exec(disposition)
      ?.groups ?? {};
  return encoded === undefined ? (plain ?? 'not of the form') : decodeURIComponent(encoded);
}

describe('the header that names a file', () => {
  it('is one line of ASCII, and stands for exactly the given name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(attachment(name)).to.match(/^[ -~]*$/);
        expect(savedAs(attachment(name))).to.equal(name.replace(/\p{Cc}/gu, ''));
      }),
    );
  });

  it('removes control characters, and replaces half surrogate pairs', () => {
    expect(savedAs(attachment('a\r\nSet-Cookie: b\0.zip'))).to.equal('aSet-Cookie: b.zip');
    expect(savedAs(attachment('a\ud83d.zip'))).to.equal('a\ufffd.zip');
  });

  it('uses only the plain form if that is sufficient', () => {
    expect(attachment('my template (2).zip')).to.equal('attachment; filename="my template (2).zip"');
    expect(attachment('"Größe".zip')).to.equal(
      `attachment; filename="_Gr__e_.zip"; filename*=UTF-8''%22Gr%C3%B6%C3%9Fe%22.zip`,
    );
  });
});

needing(s3Server.skip).describe('S3 storage', () => {
  const undo: (() => unknown)[] = [];
  let opened: OpenedS3;
  let storage: S3Storage;

  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function open(changed: Partial<S3Options> = {}): Promise<void> {
    opened = await openS3(changed);
    undo.push(() => opened.close());
    storage = opened.storage;
  }
  /** Opens the storage with a proxy in front of the server. */
  async function openBehindProxy(changed: Partial<S3Options> = {}): Promise<S3Proxy> {
    const proxy = await startS3Proxy(parseS3Url(s3Server.url ?? '').endpoint ?? '');
    undo.push(() => proxy.close());
    await open({ endpoint: proxy.endpoint, ...changed });
    return proxy;
  }
  async function put(key: string, content: string | Buffer = key): Promise<void> {
    await storage.put(key, await opened.incoming(content));
  }
  async function stored(prefix = ''): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of storage.storedBefore(prefix, systemClock.now() + hour)) keys.push(key);
    return keys;
  }

  describe('opening', () => {
    let closedPort: string;
    let notS3: string;

    before(async () => {
      const other = createServer((_, response) => response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
      const closed = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => closed.once('listening', resolve));
      [notS3, closedPort] = [other, closed].map(
        (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ) as [string, string];
      await new Promise((resolve) => closed.close(resolve));
      after(() => other.close());
    });
    const key = { accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '', secretAccessKey: 'wrong' };

    const wrong: Record<string, { change: () => Partial<S3Options>; says: RegExp }> = {
      'a wrong secret': { change: () => ({ credentials: key }), says: /secret access key is wrong/ },
      'an unknown key': {
        change: () => ({ credentials: { ...key, accessKeyId: 'NOBODY' } }),
        says: /access key is not known/,
      },
      'a missing bucket': { change: () => ({ bucket: `none-${randomUUID()}` }), says: /there is no such bucket/ },
      'a closed port': { change: () => ({ endpoint: closedPort }), says: /cannot be reached \(ECONNREFUSED\)/ },
      'a server that is not S3': { change: () => ({ endpoint: notS3 }), says: /not an S3 server/ },
    };
    for (const [what, { change, says }] of Object.entries(wrong)) {
      it(`reports ${what} in one line`, async () => {
        const error = await errorOf(open(change()));
        expect(error).to.be.an('error');
        const { message } = error as Error;
        expect(message).to.match(says).and.not.include('\n');
        expect(message).to.match(/^The bucket [a-z0-9-]+ at http:\S+ cannot be used: .+\.$/);
      });
    }

    it('uses only its own part of the bucket', async () => {
      await open();
      const first = storage;
      await put('media/one.zip');
      const inside = await openS3Storage({ ...opened.options, prefix: `${opened.options.prefix}/media` });
      const beside = await openS3Storage({ ...opened.options, prefix: opened.options.prefix?.slice(0, -1) ?? '' });
      for (const other of [inside, beside]) {
        storage = other;
        expect(await stored()).to.deep.equal([]);
        expect(await other.has('media/one.zip')).to.equal(false);
        await other.delete('media/one.zip');
        await other.close();
      }
      expect(await first.has('media/one.zip')).to.equal(true);
    });
  });

  describe('link', () => {
    it('returns the bytes, and lets browsers save them under any given name', async () => {
      await open();
      const content = randomBytes(100_000);
      await put('products/one.zip', content);
      for (const name of ['plain.zip', 'two words.zip', '"Größe" 100%; \\ \'*.zip', '名前 🔑.zip', 'עברית.zip']) {
        const answer = await fetch(await storage.link('products/one.zip', name, systemClock.now() + hour));
        expect(answer.status, name).to.equal(200);
        expect(savedAs(answer.headers.get('content-disposition') ?? '')).to.equal(name);
        expect(answer.headers.get('content-type')).to.equal('application/zip');
        expect(content.equals(Buffer.from(await answer.arrayBuffer()))).to.equal(true);
      }
    });

    it('is refused after any change to it', async () => {
      await open();
      await put('products/one.zip', 'first');
      await put('products/two.zip', 'second');
      const link = await storage.link('products/one.zip', 'one.zip', systemClock.now() + hour);
      const changes: ((url: URL) => void)[] = [
        (url) => {
          url.pathname = url.pathname.replace('one.zip', 'two.zip');
        },
        ...[...new URL(link).searchParams.keys()]
          .filter((name) => name !== 'x-id' && name !== 'X-Amz-Content-Sha256')
          .map((name) => (url: URL) => {
            const value = url.searchParams.get(name) ?? '';
            url.searchParams.set(
              name,
              value.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
            );
          }),
        (url) => url.searchParams.set('X-Amz-Expires', '604800'),
        (url) => url.searchParams.delete('X-Amz-Signature'),
        (url) => {
          url.search = '';
        },
      ];
      for (const change of changes) {
        const url = new URL(link);
        change(url);
        const answer = await fetch(url);
        expect(answer.status, url.href).to.be.within(400, 403);
        expect(await answer.text())
          .to.not.include('first')
          .and.not.include('second');
      }
      expect((await fetch(link, { method: 'DELETE' })).status).to.equal(403);
      expect(await (await fetch(link)).text()).to.equal('first');
    });

    it('is valid until the given time, rounded up to a second', async () => {
      const start = Date.UTC(2026, 10, 20, 12);
      const clock = createManualClock(start + 1);
      await open({ clock });
      const times = async (until: number) => {
        const { searchParams } = new URL(await storage.link('products/one.zip', 'one.zip', until));
        return [searchParams.get('X-Amz-Date'), searchParams.get('X-Amz-Expires')];
      };
      expect(await times(start + hour)).to.deep.equal(['20261120T120000Z', '3600']);
      expect(await times(start + hour + 1)).to.deep.equal(['20261120T120000Z', '3601']);
      expect(await times(start + week)).to.deep.equal(['20261120T120000Z', '604800']);
      expect(await times(start - hour)).to.deep.equal(['20261120T105959Z', '1']);
      expect(await errorOf(times(start + week + 2 * second))).to.be.instanceOf(RangeError);
    });

    it('is refused when it has expired', async () => {
      await open();
      await put('products/one.zip', 'first');
      const answer = await fetch(await storage.link('products/one.zip', 'one.zip', systemClock.now() - hour));
      expect(answer.status).to.equal(403);
      expect(await answer.text()).to.not.include('first');
    });
  });

  describe('locate', () => {
    it('returns an address that shows the file in a page', async () => {
      await open();
      await put('media/one.png', 'an image');
      const found = await storage.locate('media/one.png');
      expect(new URL(found?.url ?? '').origin).to.equal(storage.origin);
      const answer = await fetch(found?.url ?? '');
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('image/png');
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-disposition')).to.equal(null);
      expect(await answer.text()).to.equal('an image');
    });

    it('returns the same address for an hour, and the address is valid for longer than that', async () => {
      const start = Date.UTC(2026, 10, 20, 12);
      const clock = createManualClock(start);
      await open({ clock });
      await put('media/one.png', 'an image');
      const first = await storage.locate('media/one.png');
      clock.set(start + hour - 1);
      expect(await storage.locate('media/one.png')).to.deep.equal(first);
      expect(new URL(first?.url ?? '').searchParams.get('X-Amz-Expires')).to.equal('7200');
      clock.set(start + hour);
      expect(await storage.locate('media/one.png')).to.not.deep.equal(first);
    });

    it('returns undefined for a missing file and for an invalid key', async () => {
      await open();
      for (const key of [
        'media/none.png',
        '',
        '../media/one.png',
        'media/one.png/',
        `media/${'a'.repeat(2_000)}.png`,
      ]) {
        expect(await storage.locate(key)).to.equal(undefined);
      }
    });
  });

  describe('put', () => {
    it('stores a file of many parts unchanged, with its type', async () => {
      await open();
      for (const size of [5 * 1024 * 1024, 5 * 1024 * 1024 + 1, large]) {
        const content = randomBytes(size);
        await put(`media/of-${size}.jpg`, content);
        expect(content.equals(await opened.content(`media/of-${size}.jpg`))).to.equal(true);
        const command = new HeadObjectCommand({ Bucket: opened.bucket, Key: opened.object(`media/of-${size}.jpg`) });
        expect((await opened.client.send(command)).ContentType).to.equal('image/jpeg');
      }
      expect(await opened.unfinished()).to.deep.equal([]);
    });

    it('never overwrites with a file of many parts', async () => {
      await open();
      await put('products/one.zip', 'first');
      expect(await errorOf(put('products/one.zip', Buffer.alloc(large)))).to.be.an('error');
      expect(String(await opened.content('products/one.zip'))).to.equal('first');
      expect(await opened.unfinished()).to.deep.equal([]);
    });

    it('holds only a small part of a large file in memory', async () => {
      await open();
      const size = 150_000_000;
      const path = await opened.incoming('');
      await truncate(path, size);
      const buffered = () => process.memoryUsage().arrayBuffers;
      const before = buffered();
      let most = before;
      const timer = setInterval(() => {
        most = Math.max(most, buffered());
      }, 5);
      undo.push(() => clearInterval(timer));
      await storage.put('products/large.zip', path);
      expect(most - before, 'bytes').to.be.lessThan(size / 2);
    });

    it('accepts only regular files', async () => {
      await open();
      await writeFile(`${storage.staging}/secret`, 'secret');
      await symlink(`${storage.staging}/secret`, `${storage.staging}/link`);
      await mkdir(`${storage.staging}/folder`);
      for (const name of ['link', 'folder', 'none']) {
        expect(await errorOf(storage.put('media/one.zip', `${storage.staging}/${name}`)), name).to.be.an('error');
      }
      expect(await stored()).to.deep.equal([]);
    });

    it('leaves nothing behind if it is interrupted, and can be repeated', async () => {
      const proxy = await openBehindProxy();
      const path = await opened.incoming(randomBytes(large));
      const interruptions: ((url: string, method?: string) => boolean)[] = [
        (url) => url.includes('uploads'),
        (url) => url.includes('partNumber=2'),
        (url, method) => method === 'POST' && url.includes('uploadId='),
      ];
      for (const interrupts of interruptions) {
        proxy.decide(({ url = '', method }) => (interrupts(url, method) ? 'cut' : 'passed'));
        expect(await errorOf(storage.put('products/one.zip', path))).to.be.instanceOf(Unavailable);
        expect(await storage.has('products/one.zip')).to.equal(false);
        expect(await opened.unfinished()).to.deep.equal([]);
        expect(await exists(path)).to.equal(true);
      }
      proxy.decide(() => 'passed');
      await storage.put('products/one.zip', path);
      expect(await storage.has('products/one.zip')).to.equal(true);
      expect(await exists(path)).to.equal(false);
    });

    it('succeeds if only the answer was lost', async () => {
      const proxy = await openBehindProxy();
      for (const [key, size] of [['media/small.zip', 10] as const, ['media/large.zip', large] as const]) {
        const path = await opened.incoming(Buffer.alloc(size));
        const lost = new Set<string>();
        proxy.decide(({ url = '', method = '' }) => {
          const isLast = size === 10 ? method === 'PUT' : method === 'POST' && url.includes('uploadId=');
          if (!isLast || lost.has(key)) return 'passed';
          lost.add(key);
          return 'lost';
        });
        await storage.put(key, path);
        expect(lost.has(key)).to.equal(true);
        expect((await opened.content(key)).length).to.equal(size);
        expect(await exists(path)).to.equal(false);
      }
    });

    it('never overwrites on a server that does not support conditional requests', async () => {
      const proxy = await openBehindProxy();
      proxy.decide(({ headers }) =>
        headers['if-none-match'] === undefined ? 'passed' : { status: 501, code: 'NotImplemented' },
      );
      await Promise.all([
        put('media/one.zip', 'first'),
        put('media/two.zip', Buffer.alloc(large)),
        put('media/three.zip'),
      ]);
      for (const key of ['media/one.zip', 'media/two.zip']) {
        const path = await opened.incoming('second');
        expect(await errorOf(storage.put(key, path)))
          .to.be.an('error')
          .and.not.be.instanceOf(Unavailable);
        expect(await readFile(path, 'utf8')).to.equal('second');
      }
      expect(String(await opened.content('media/one.zip'))).to.equal('first');
    });
  });

  describe('an outage', () => {
    const outages: Record<string, Fate> = {
      'a connection that breaks': 'cut',
      'a server that does not answer': 'hung',
      'status 500': { status: 500, code: 'InternalError' },
      'status 503': { status: 503, code: 'ServiceUnavailable' },
      'a server that asks for fewer requests': { status: 503, code: 'SlowDown' },
    };
    for (const [what, fate] of Object.entries(outages)) {
      it(`throws Unavailable: ${what}`, async () => {
        const proxy = await openBehindProxy({ timeout: 200, pause: 50 });
        const path = await opened.incoming('kept');
        proxy.decide(() => fate);
        const failures = await Promise.all(
          [
            storage.put('media/one.zip', path),
            storage.has('media/one.zip'),
            storage.delete('media/one.zip'),
            storage.locate('media/one.zip'),
            stored(),
            storage.ping(),
            storage.sweepStaging(0),
          ].map(errorOf),
        );
        for (const error of failures) expect(error).to.be.instanceOf(Unavailable);
        expect(await readFile(path, 'utf8')).to.equal('kept');
        proxy.decide(() => 'passed');
        await until(async () => (await errorOf(storage.ping())) === undefined);
        await storage.put('media/one.zip', path);
      });
    }

    it('also includes a refusal after the bucket has worked', async () => {
      const proxy = await openBehindProxy();
      proxy.decide(() => ({ status: 403, code: 'AccessDenied' }));
      const works = [storage.has('media/one.zip'), storage.ping(), put('media/one.zip'), stored()];
      for (const error of await Promise.all(works.map(errorOf))) expect(error).to.be.instanceOf(Unavailable);
    });
  });

  it('lists more files than one page holds', async () => {
    await open();
    const keys = Array.from({ length: 1_001 }, (_, index) => `media/${String(index).padStart(4, '0')}.zip`);
    for (let start = 0; start < keys.length; start += 50) {
      await Promise.all(
        keys.slice(start, start + 50).map((key) => {
          const command = new PutObjectCommand({ Bucket: opened.bucket, Key: opened.object(key), Body: 'x' });
          return opened.client.send(command);
        }),
      );
    }
    expect((await stored('media/')).toSorted()).to.deep.equal(keys);
  });

  describe('sweepStaging', () => {
    it('deletes files in the folder that were written before the time', async () => {
      const start = Date.UTC(2026, 10, 20, 12);
      await open();
      for (const [name, time] of [['old', start - 1] as const, ['new', start] as const]) {
        await writeFile(`${storage.staging}/${name}`, name);
        await utimes(`${storage.staging}/${name}`, new Date(time), new Date(time));
      }
      expect(await storage.sweepStaging(start)).to.equal(1);
      expect(await exists(`${storage.staging}/old`)).to.equal(false);
      expect(await exists(`${storage.staging}/new`)).to.equal(true);
    });

    it('aborts unfinished uploads in its own part of the bucket', async () => {
      await open();
      for (const Key of [opened.object('media/one.zip'), `${opened.object('media/one.zip')}/else`]) {
        await opened.client.send(new CreateMultipartUploadCommand({ Bucket: opened.bucket, Key }));
      }
      expect(await storage.sweepStaging(systemClock.now() - hour)).to.equal(0);
      expect(await opened.unfinished()).to.have.length(2);
      expect(await storage.sweepStaging(systemClock.now() + hour)).to.equal(1);
      expect(await opened.unfinished()).to.deep.equal([`${opened.object('media/one.zip')}/else`]);
    });

    it('only warns if the server does not list uploads', async () => {
      const warnings: unknown[] = [];
      const proxy = await openBehindProxy({ log: { warn: (...parts: unknown[]) => void warnings.push(parts) } });
      await writeFile(`${storage.staging}/old`, 'old');
      proxy.decide(({ url = '' }) => (url.includes('uploads') ? { status: 501, code: 'NotImplemented' } : 'passed'));
      expect(await storage.sweepStaging(systemClock.now() + hour)).to.equal(1);
      expect(warnings).to.have.length(1);
    });
  });
});
