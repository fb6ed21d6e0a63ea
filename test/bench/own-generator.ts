/** A process that puts servers under load if wrk is not installed. It receives a `Task` and sends an `Outcome`. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { type Outcome, separator, type Task } from './generators.ts';
import { quantile } from './statistics.ts';

process.on('message', async (task: Task) => process.send?.(await load(task)));

async function load({ port, connections, seconds, requests }: Task): Promise<Outcome> {
  const texts = (await readFile(requests, 'latin1')).split(separator);
  const latencies: number[] = [];
  let place = 0;
  let refused = 0;
  let broken = 0;
  const usedBefore = process.cpuUsage();
  const began = performance.now();
  const end = began + seconds * 1000;

  function ask(): string {
    const text = texts[place] ?? '';
    place = (place + 1) % texts.length;
    return text;
  }

  /** Sends requests on one connection until the time is over, and waits for the last answer. */
  function converse(): Promise<void> {
    return new Promise((resolve) => {
      let sent = performance.now();
      let held = '';
      const hear = (chunk: string) => {
        held += chunk;
        if (!isWhole(held)) return;
        const now = performance.now();
        latencies.push(now - sent);
        if (Number(held.slice(9, 12)) >= 400) refused++;
        held = '';
        if (now >= end) {
          socket.destroy();
          return;
        }
        sent = now;
        socket.write(ask(), 'latin1');
      };
      // One buffer for all answers, because a stream for each socket would cost more time than everything else here.
      const buffer = Buffer.alloc(16_384);
      const callback = (length: number) => {
        hear(buffer.toString('latin1', 0, length));
        return true;
      };
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } }, () => {
        sent = performance.now();
        socket.write(ask(), 'latin1');
      });
      socket.on('error', () => broken++);
      socket.on('end', () => broken++);
      socket.on('close', () => resolve());
    });
  }

  await Promise.all(Array.from({ length: connections }, converse));
  const used = process.cpuUsage(usedBefore);
  const took = (performance.now() - began) / 1000;
  return {
    seconds: took,
    answers: latencies.length,
    refused,
    broken,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpu: (used.user + used.system) / 1e6,
  };
}

/** Whether an answer has arrived completely. It contains only ASCII. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const name = '\r\nContent-Length: ';
  const at = answer.indexOf(name);
  const length = at === -1 || at > head ? 0 : Number.parseInt(answer.slice(at + name.length, head), 10);
  return answer.length >= head + 4 + length;
}
