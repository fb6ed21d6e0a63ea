import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { itLong } from '../../support/required-service.ts';
import { type Service, startService } from './license/license-service.ts';

const limit = 64 * 1024;
/** The header of a gzip file without a name. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);

/** Compressed text that is longer than a body may be. What follows is not gzip. */
function brokenAfter(length: number): Buffer {
  const text = deflateRawSync(Buffer.alloc(length, 'a'), { finishFlush: constants.Z_SYNC_FLUSH });
  return Buffer.concat([gzipHeader, text, Buffer.alloc(2_000, 0xff)]);
}

describe('a compressed body', () => {
  let service: Service;
  before(async () => {
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
  });
  after(() => service.close());

  async function activate(body: Buffer) {
    const answer = await fetch(`${service.url}/activate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: new Uint8Array(body),
    });
    await answer.text();
    return answer.status;
  }

  it('is read', async () => {
    const license_key = await service.license();
    expect(await activate(gzipSync(JSON.stringify({ license_key, domain: 'a.com' })))).to.equal(200);
  });

  it('413 if it is too large when it is decompressed', async () => {
    expect(await activate(gzipSync(Buffer.alloc(100 * limit, ' ')))).to.equal(413);
  });

  itLong('413 if it is broken after the limit. The error of the decompression ends nothing else', async () => {
    const uncaught: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      for (let more = 0; more <= 32_000; more += 2_000)
        expect(await activate(brokenAfter(limit + more))).to.be.oneOf([400, 413]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    }
    expect(uncaught).to.deep.equal([]);
  });
});
