import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode } from 'dns-packet';

type Type = 'A' | 'AAAA' | 'TXT';

export interface NameServer extends AsyncDisposable {
  /** For a resolver: `127.0.0.1:<port>`. */
  readonly address: string;
  /** The questions so far, such as `TXT _latchkey.example.com`. */
  readonly asked: string[];
}

/** Starts a name server on this machine. `data`: the values of a name, or `undefined` for no answer at all. */
export async function startNameServer(
  data: (name: string, type: Type) => readonly string[] | undefined,
): Promise<NameServer> {
  const asked: string[] = [];
  const server = createSocket('udp4').on('message', (packet, { port, address }) => {
    const { id = 0, questions = [] } = decode(packet);
    const [{ name = '', type = 'A' } = {}] = questions;
    if (type !== 'A' && type !== 'AAAA' && type !== 'TXT') return;
    asked.push(`${type} ${name}`);
    const values = data(name, type);
    if (values === undefined) return;
    const answers = values.map((value): Answer => ({ type, name, ttl: 0, data: value }));
    server.send(encode({ type: 'response', id, questions, answers }), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
