import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';
import { needing, requiredService, skipLong } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type Generator, own, wrk } from './generators.ts';
import { check, connections, fire } from './load.ts';
import { mixed } from './scenarios.ts';
import { mintBindings } from './seed.ts';

/** Starts a server that records requests. It answers like the license API, or refuses everything. */
async function startServer(status: number) {
  const port = await freePort();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url?.split('?')[0] ?? '');
    const text = request.method === 'GET' ? '{"valid":true}' : '{"success":true}';
    request.resume();
    response.writeHead(status, { 'Content-Length': text.length }).end(text);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, asked, [Symbol.asyncDispose]: async () => void server.close() };
}

const generators: readonly {
  readonly name: string;
  readonly make: () => Generator;
  readonly skip?: string | undefined;
}[] = [
  { name: 'wrk', make: wrk, skip: requiredService('TEST_WRK', 'wrk').skip },
  { name: 'our own generator', make: own, skip: skipLong },
];

for (const { name, make, skip } of generators) {
  needing(skip).describe(`the load of ${name}`, () => {
    async function load(status: number) {
      await using server = await startServer(status);
      const folder = await makeTemporaryFolder();
      const generator = make();
      const scenario = mixed(mintBindings(10_000, 1), 1);
      try {
        const wrong = await check(server.port, scenario);
        server.asked.length = 0;
        const volley = await fire({ generator, folder, ports: [server.port], scenario, seconds: 1 });
        return { wrong, volley, asked: server.asked };
      } finally {
        generator.stop();
        await folder.remove();
      }
    }

    it('counts all answers of the server, except those in flight at the end, in the given mix', async () => {
      const { wrong, volley, asked } = await load(200);
      expect(volley.answers).within(Math.max(1, asked.length - connections), asked.length);
      expect([...wrong, ...volley.wrong]).eql([]);
      expect(volley.p50).above(0).most(volley.p99);
      expect(volley.busy).above(0);
      const changes = asked.filter((path) => path !== '/verify').length;
      expect(changes).within(asked.length / 10 - connections, asked.length / 10 + connections);
    });

    it('reports answers that were refused unexpectedly', async () => {
      const { wrong, volley } = await load(503);
      expect(wrong[0]).equal('503 {"valid":true}');
      expect(volley.wrong[0]).match(/^(\d+) of \1 answers had a status of 400 or more$/);
    });
  });
}
