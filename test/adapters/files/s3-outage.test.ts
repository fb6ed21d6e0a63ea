import { access, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import pino from 'pino';
import { openS3Storage, type S3Options, type S3Storage } from '../../../adapters/files/s3/storage.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { NothingStored } from '../../../core/nothing-stored.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { type Answer, type FakeS3, hangs, list, refusal, startFakeS3, xml } from '../../support/fake-s3.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** Needs no S3 server, because the test itself answers the requests. */
describe('S3 storage, when its server fails', () => {
  const undo: (() => unknown)[] = [];
  let s3: FakeS3;
  let warnings: string[];

  beforeEach(async () => {
    s3 = await startFakeS3();
    undo.push(() => s3.close());
    warnings = [];
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function open(changed: Partial<S3Options> = {}): Promise<{ storage: S3Storage; path: string }> {
    const folder = await makeTemporaryFolder();
    undo.push(() => folder.remove());
    const storage = await openS3Storage({
      bucket: 'files',
      endpoint: s3.endpoint,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      clock: systemClock,
      staging: folder.file('staging'),
      log: { warn: (_: unknown, text?: string) => void warnings.push(String(text)) },
      ...changed,
    });
    undo.push(() => storage.close());
    const path = `${storage.staging}/incoming`;
    await writeFile(path, 'content');
    return { storage, path };
  }

  it('sends a request to a silent server once, without retries', async () => {
    const { storage, path } = await open({ timeout: 1_000 });
    s3.answer = hangs;
    const works = [storage.has('media/one.png'), storage.delete('media/one.png'), storage.put('media/two.png', path)];
    s3.asked.length = 0;
    for (const error of await Promise.all(works.map(errorOf))) expect(error).to.be.instanceOf(Unavailable);
    expect(s3.asked.sort()).to.have.length(3);
  });

  itLong(
    'is not ready if the server does not answer within two seconds, even if the configured timeout is longer',
    async () => {
      const { storage } = await open({ timeout: 600_000 });
      s3.answer = hangs;
      const error = await errorOf(storage.ping());
      expect(error).to.be.instanceOf(Unavailable).with.property('message').that.includes('does not answer in time');
    },
  );

  /** Answers what comes before the parts of a large upload, and leaves the parts to `part`. */
  const beforeParts =
    (part: Answer): Answer =>
    (request, response) => {
      if (request.method === 'HEAD') return response.writeHead(404).end();
      if (request.method === 'PUT') return part(request, response);
      request.resume();
      return xml(
        response,
        200,
        '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>',
      );
    };

  itLong('gives up a large file whose server goes silent in the middle of a part, and sends nothing more', async () => {
    const { storage, path } = await open({ timeout: 3_000 });
    await writeFile(path, Buffer.alloc(11_000_000));
    s3.answer = beforeParts((request) => {
      request.on('data', () => request.pause());
    });
    s3.asked.length = 0;
    expect(await errorOf(storage.put('products/one.zip', path))).to.be.instanceOf(Unavailable);
    expect(s3.asked.map((line) => line.split(' ', 1)[0])).to.deep.equal(['HEAD', 'POST', 'PUT', 'PUT']);
  });

  itLong('does not wait anew for each retry, if the server breaks off each part before the time is over', async () => {
    // The time begins when the last part is sent, which takes more than a second on a slow machine.
    const timeout = 4_000;
    const { storage, path } = await open({ timeout });
    await writeFile(path, Buffer.alloc(11_000_000));
    s3.answer = beforeParts((request) => {
      request.resume();
      request.on('end', () => globalThis.setTimeout(() => request.socket.destroy(), 0.7 * timeout).unref());
    });
    s3.asked.length = 0;
    expect(await errorOf(storage.put('products/one.zip', path))).to.be.instanceOf(Unavailable);
    // Two parts are sent at once, and the third attempts would begin after the end of the time.
    expect(s3.asked.filter((line) => line.startsWith('PUT'))).to.have.length.within(2, 4);
    expect(s3.asked.filter((line) => line.startsWith('DELETE'))).to.deep.equal([]);
  });

  const refusals = {
    'rights that were removed': [403, 'AccessDenied'],
    'a bucket that was deleted': [404, 'NoSuchBucket'],
    'no space': [507, 'InsufficientStorage'],
    'an exceeded quota': [400, 'QuotaExceeded'],
  } as const;
  for (const [what, [status, code]] of Object.entries(refusals)) {
    it(`throws Unavailable with the cause after a successful start: ${what}`, async () => {
      const { storage, path } = await open();
      s3.answer = (request, response) =>
        request.method === 'HEAD' ? response.writeHead(404).end() : refusal(status, code)(request, response);
      for (const error of await Promise.all([storage.ping(), storage.put('media/one.png', path)].map(errorOf))) {
        expect(error).to.be.instanceOf(Unavailable);
        expect(error).to.have.nested.property('cause.name', code);
        expect((error as Error).message).to.match(/^The file storage cannot be used: .+\.$/);
      }
    });
  }

  itLong('aborts a failed upload as soon as the server allows it, also if the first abort fails', async () => {
    const { storage, path } = await open();
    await writeFile(path, Buffer.alloc(6_000_000));
    const aborts: string[] = [];
    let takesAborts = false;
    s3.answer = (request, response) => {
      const { method, url = '' } = request;
      if (method === 'HEAD') response.writeHead(404).end();
      else if (method === 'POST' && url.includes('uploads')) {
        request.resume();
        xml(response, 200, '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>');
      } else if (method === 'DELETE' && takesAborts) {
        aborts.push(url);
        response.writeHead(204).end();
      } else refusal(403, 'AccessDenied')(request, response);
    };
    expect(await errorOf(storage.put('products/one.zip', path))).to.be.instanceOf(Unavailable);
    expect(aborts).to.deep.equal([]);
    takesAborts = true;
    await storage.close();
    expect(aborts).to.have.length(1);
    expect(aborts[0]).to.match(/\/files\/products\/one\.zip\?.*uploadId=7/);
  });

  itLong('sends nothing to a silent server during a pause, and then one request at a time', async () => {
    const { storage } = await open({ timeout: 500, pause: 300 });
    const has = () => errorOf(storage.has('media/one.png'));
    s3.answer = hangs;
    expect(await has()).to.be.instanceOf(Unavailable);
    s3.asked.length = 0;
    while (s3.asked.length === 0) await Promise.all([has(), has(), has()]);
    expect(s3.asked).to.have.length(1);
    s3.answer = (_, response) => response.writeHead(404).end();
    while ((await has()) !== undefined) await setTimeout(20);
    expect(await Promise.all([has(), has(), has()])).to.deep.equal([undefined, undefined, undefined]);
  });

  itLong('lets a file wait for the length of the timeout at most, and then throws NothingStored', async () => {
    const { storage, path } = await open({ timeout: 3_000 });
    const slow = new Set<ServerResponse>();
    s3.answer = (request, response) => {
      // An answer begins the wait of its file anew. So those that are sent wait longer than the one that is not.
      if (request.method === 'HEAD') globalThis.setTimeout(() => response.writeHead(404).end(), 1_500).unref();
      else {
        // The request stays open: below, the server sends 100 Continue again and again, and its answer only at the end.
        slow.add(response.on('close', () => slow.delete(response)));
        request.resume();
      }
    };
    const timer = setInterval(() => {
      for (const response of slow) response.writeContinue();
    }, 100);
    undo.push(() => clearInterval(timer));
    const names = Array.from({ length: 4 }, (_, number) => `${path}-${number}`);
    for (const name of names) await writeFile(name, 'content');
    const puts = names.map((name, number) => errorOf(storage.put(`media/slow-${number}.png`, name)));
    expect(await errorOf(storage.put('media/late.png', path))).to.be.instanceOf(NothingStored);
    expect(s3.asked.join()).to.not.include('late');
    s3.answer = hangs;
    for (const response of slow) response.writeHead(200).end();
    expect(await Promise.all(puts)).to.deep.equal(names.map(() => undefined));
  });

  itLong('logs no part of the request that a refusal repeats', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const credentials = { accessKeyId: 'AKIAMYKEYID', secretAccessKey: 'b', sessionToken: 'my-session-token' };
    const { storage, path } = await open({ log, credentials });
    await writeFile(path, Buffer.alloc(6_000_000));
    let takes = true;
    s3.answer = (request, response) => {
      const { method, url = '', headers } = request;
      request.resume();
      if (method === 'HEAD') response.writeHead(404).end();
      else if (takes && method === 'POST' && url.includes('uploads')) {
        xml(response, 200, '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>');
      } else {
        const told = `${headers.authorization} x-amz-security-token:${headers['x-amz-security-token']}`;
        const body = `<Code>SignatureDoesNotMatch</Code><Message>wrong: ${told}</Message><RequestId>R1</RequestId>
          <AWSAccessKeyId>AKIAMYKEYID</AWSAccessKeyId><CanonicalRequest>PUT ${told}</CanonicalRequest>
          <StringToSign>${told}</StringToSign>`;
        xml(response, 403, `<Error>${body}</Error>`);
      }
    };
    const errors = [await errorOf(storage.put('products/one.zip', path)), await errorOf(storage.ping())];
    await storage.sweepStaging(systemClock.now());
    takes = false;
    errors.push(await errorOf(storage.has('media/one.png')), await errorOf(storage.put('media/two.png', path)));
    errors.push(await errorOf(open({ log, credentials })));
    for (const err of errors) if (err !== undefined) log.error({ err }, 'sweep failed');
    const all = lines.join('');
    expect(lines).to.have.length.above(5);
    expect(all).to.include('SignatureDoesNotMatch').and.include('"status":403').and.include('R1');
    for (const secret of ['AKIAMYKEYID', 'CanonicalRequest', 'my-session-token', 'StringToSign', '$response']) {
      expect(all).to.not.include(secret);
    }
    expect(inspect(errors, { depth: 10 })).to.not.match(/AKIAMYKEYID|my-session-token|CanonicalRequest/);
  });

  it('ends a sweep immediately when it is aborted, even if the server is silent', async () => {
    const { storage, path } = await open({ timeout: 600_000 });
    s3.answer = hangs;
    const works: ((stop: AbortSignal) => Promise<unknown>)[] = [
      (stop) => storage.sweepStaging(0, stop),
      async (stop) => {
        for await (const key of storage.storedBefore('', 0, stop)) expect.fail(key);
      },
      (stop) => errorOf(storage.delete('media/one.png', stop)),
      (stop) => errorOf(storage.has('media/one.png', stop)),
    ];
    for (const work of works) {
      const stop = new AbortController();
      s3.asked.length = 0;
      const end = work(stop.signal);
      while (s3.asked.length === 0) await setTimeout(5);
      stop.abort();
      await end;
      await work(stop.signal);
      expect(s3.asked).to.have.length(1);
    }
    expect(await storage.sweepStaging(Number.MAX_SAFE_INTEGER, AbortSignal.abort())).to.equal(0);
    await access(path);
  });

  it('ends an aborted sweep between two pages of an endless list', async () => {
    const { storage } = await open();
    let pages = 0;
    s3.answer = ({ url = '' }, response) => {
      pages += 1;
      const contents = `<Key>media/${pages}.png</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>`;
      const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken>`;
      const body = `<Name>files</Name>${more}<KeyMarker/><NextKeyMarker>${pages}</NextKeyMarker>`;
      if (url.includes('uploads'))
        xml(response, 200, `<ListMultipartUploadsResult>${body}</ListMultipartUploadsResult>`);
      else xml(response, 200, `<ListBucketResult>${body}<Contents>${contents}</Contents></ListBucketResult>`);
    };
    const stop = new AbortController();
    const sweep = storage.sweepStaging(0, stop.signal);
    while (pages < 3) await setTimeout(5);
    stop.abort();
    expect(await sweep).to.equal(0);
    const other = new AbortController();
    let keys = 0;
    for await (const _ of storage.storedBefore('', systemClock.now(), other.signal)) {
      keys += 1;
      if (keys === 3) other.abort();
    }
    expect(keys).to.equal(3);
  });

  it('opens without the bucket if the option allows it, logs a warning, and works when the bucket is available', async () => {
    s3.answer = refusal(503, 'ServiceUnavailable');
    const { storage } = await open({ toleratesOutage: true });
    expect(warnings).to.deep.equal(['the bucket is unavailable: requests for files get 503 until it is back']);
    expect(await errorOf(storage.ping())).to.be.instanceOf(Unavailable);
    s3.answer = list;
    await storage.ping();
  });

  it('does not open if the server refuses access, even with that option', async () => {
    s3.answer = refusal(403, 'InvalidAccessKeyId');
    expect(await errorOf(open({ toleratesOutage: true })))
      .to.be.an('error')
      .with.property('message')
      .that.matches(/access key is not known/);
  });

  it('warns once if the clock of this machine is wrong by minutes, and notices when it is correct again', async () => {
    const clock = createManualClock(systemClock.now() - 5 * 60_000);
    const { storage } = await open({ clock });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('the clock of this machine differs');
    await storage.ping();
    expect(await errorOf(storage.compareClocks())).to.be.an('error');
    clock.set(systemClock.now());
    await storage.ping();
    await storage.compareClocks();
    expect(warnings).to.have.length(1);
  });
});
