/**
 * A process that receives webhooks on 127.0.0.1. Answers with 204, or never below `/hangs`. Sends its port; then, for each message, the
 * number of requests that it has answered.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let answered = 0;
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    if (request.url?.startsWith('/hangs')) return;
    answered++;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(answered));
process.once('disconnect', () => process.exit());
