import { type IncomingMessage, request } from 'node:http';
import type { Connect } from '../guarded-connect.ts';

/** In bytes: room for the proofs of more than 80 licenses. */
export const longestFile = 4_096;

/** The site says that it has no such file. */
export class NoSuchFile extends Error {}

/**
 * Returns the lines of a file on a site. Throws if the site does not send it with status 200: redirects are not followed, because they could lead to a
 * host that is not the caller's. Throws `NoSuchFile` for 404 and 410. Throws if it is longer than `longestFile`, and when the signal is aborted.
 */
export async function readFile(url: URL, connect: Connect, signal: AbortSignal): Promise<readonly string[]> {
  const socket = await connect(url, signal);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      socket.on('error', reject);
      request({
        createConnection: () => socket,
        path: url.pathname,
        headers: { host: url.host, accept: 'text/plain', connection: 'close', 'user-agent': 'Latchkey' },
        signal,
      })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });
    if (answer.statusCode === 404 || answer.statusCode === 410) throw new NoSuchFile();
    if (answer.statusCode !== 200) throw new Error(`The site answered with status ${answer.statusCode}.`);
    return (await textOf(answer)).split(/\r?\n/).map((line) => line.trim());
  } finally {
    socket.destroy();
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer) {
    length += chunk.length;
    if (length > longestFile) throw new Error('The file is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
