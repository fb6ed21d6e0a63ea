import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

needing(skipLong).describe('a server that starts while S3 is unreachable', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  it('serves the license API, returns 503 for files, and serves files once S3 is back', async () => {
    const port = await freePort();
    await using server = await startServer({
      DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`,
      FILES_URL: `s3://files?endpoint=http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    });
    const statusOf = async (path: string) => (await fetch(`${server.url}${path}`, { redirect: 'manual' })).status;
    expect(await statusOf('/verify?license_key=LIC-AAAA-BBBB-CCCC-DDDD&domain=a.com')).to.equal(404);
    const image = `/media/${'0'.repeat(32)}.png`;
    expect(await statusOf(image)).to.equal(503);
    expect(await statusOf('/health/ready')).to.equal(503);
    expect(server.log.map(({ msg }) => msg)).to.include(
      'the bucket is unavailable: requests for files get 503 until it is back',
    );

    const s3 = createServer((request, response) => {
      if (request.method === 'HEAD') response.writeHead(404).end();
      else response.end('<ListBucketResult><Name>files</Name><KeyCount>0</KeyCount></ListBucketResult>');
    }).listen(port, '127.0.0.1');
    await once(s3, 'listening');
    try {
      expect(await statusOf(image)).to.equal(404);
      await eventually('the server is ready', async () => (await statusOf('/health/ready')) === 200);
      expect(await server.stop('SIGTERM')).to.equal(0);
    } finally {
      s3.closeAllConnections();
      s3.close();
    }
  });
});
