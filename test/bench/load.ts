import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { median, quantile } from './statistics.ts';

/** A request as it goes over the wire, and what a right answer to it looks like. */
export interface Ask {
  readonly text: string;
  readonly statuses: readonly number[];
  /** What the body begins with. */
  readonly body: string;
}

export interface Load {
  /** Where it goes, in turn by connection. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** What one connection asks, one after the other. */
  asksOf(connection: number): () => Ask;
}

export interface Volley {
  /** Answers a second. */
  readonly rate: number;
  readonly answers: number;
  /** Answers that told a license to be valid. */
  readonly valid: number;
  /** The head lines of answers that were not what they should be. */
  readonly wrong: readonly string[];
  /** Milliseconds from a request to its whole answer. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

const headEnd = '\r\n\r\n';
const lengthName = '\r\nContent-Length: ';
const valid = '{"valid":true';

/**
 * Asks over kept connections, each one request at a time, and waits for the last answers, so that what was answered can be
 * compared with what was counted. Own code, because autocannon takes longer to read an answer with all its headers than the
 * server takes to make it, and cuts off what is in flight at its end.
 */
export async function fire({ ports, connections, seconds, asksOf }: Load): Promise<Volley> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, index) => open(ports[index % ports.length] ?? 0)),
  );
  const latencies: number[] = [];
  const wrong: string[] = [];
  let validAnswers = 0;
  const began = performance.now();
  const end = began + seconds * 1000;

  await Promise.all(
    sockets.map(({ socket, listen }, index) => {
      const next = asksOf(index);
      return new Promise<void>((resolve, reject) => {
        let ask = next();
        let sent = performance.now();
        let held = '';
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('The server closed the connection.')));
        listen((chunk) => {
          const answer = held + chunk;
          const body = bodyOf(answer);
          held = body === undefined ? answer : '';
          if (body === undefined) return;
          const now = performance.now();
          latencies.push(now - sent);
          const status = Number(answer.slice(9, 12));
          if (body.startsWith(valid)) validAnswers++;
          if (!ask.statuses.includes(status) || !body.startsWith(ask.body)) wrong.push(`${status} ${body}`);
          if (now >= end) {
            socket.removeAllListeners('close');
            socket.destroy();
            resolve();
            return;
          }
          ask = next();
          sent = now;
          socket.write(ask.text, 'latin1');
        });
        socket.write(ask.text, 'latin1');
      });
    }),
  ).finally(() => {
    for (const { socket } of sockets) socket.removeAllListeners('close').destroy();
  });

  const took = (performance.now() - began) / 1000;
  return {
    rate: latencies.length / took,
    answers: latencies.length,
    valid: validAnswers,
    wrong,
    latency: { p50: median(latencies), p99: quantile(latencies, 0.99) },
  };
}

/** The body, or `undefined` while the answer is not whole. All of it is ASCII. */
function bodyOf(answer: string): string | undefined {
  const head = answer.indexOf(headEnd);
  if (head === -1) return undefined;
  const at = answer.indexOf(lengthName);
  const length = at === -1 || at > head ? 0 : Number.parseInt(answer.slice(at + lengthName.length, head), 10);
  const start = head + headEnd.length;
  return answer.length < start + length ? undefined : answer.slice(start, start + length);
}

interface Opened {
  readonly socket: Socket;
  /** From now on tells of what arrives. */
  listen(heard: (chunk: string) => void): void;
}

/** Reads into one buffer: a stream of its own for each socket would take longer than all else here. */
async function open(port: number): Promise<Opened> {
  let hear: (chunk: string) => void = () => undefined;
  const onread = {
    buffer: Buffer.alloc(16_384),
    callback(length: number, buffer: Uint8Array) {
      hear((buffer as Buffer).toString('latin1', 0, length));
      return true;
    },
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  await once(socket, 'connect');
  return {
    socket,
    listen(heard) {
      hear = heard;
    },
  };
}
