import { writeFile } from 'node:fs/promises';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { type Generator, type Outcome, separator } from './generators.ts';
import type { Ask, Scenario } from './scenarios.ts';
import { sum } from './statistics.ts';

export interface Load {
  readonly generator: Generator;
  /** The folder for the lists of requests. */
  readonly folder: TemporaryFolder;
  /** The ports of the servers. All have the same number of connections. */
  readonly ports: readonly number[];
  readonly scenario: Scenario;
  /** Whole seconds. */
  readonly seconds: number;
  /** The number of connections to all servers together. Default: `connections`. */
  readonly clients?: number;
}

export interface Volley {
  /** Answers per second. */
  readonly rate: number;
  readonly answers: number;
  /** Errors, as text. */
  readonly wrong: readonly string[];
  /** Milliseconds from a request to its complete answer, in the slowest process of the generator. */
  readonly p50: number;
  readonly p99: number;
  /** The share of a core that the busiest process of the generator used. */
  readonly busy: number;
}

/** The usual number of connections to all servers together. At most this many requests are in flight at the end of a load. */
export const connections = 64;

/** More than any server answers. If a server needs more requests, they are repeated. */
const mostASecond = 50_000;

/** Puts servers under load. Each process of the generator sends its own part of the requests. */
export async function fire({
  generator,
  folder,
  ports,
  scenario,
  seconds,
  clients = connections,
}: Load): Promise<Volley> {
  const parts = Math.max(generator.processes, ports.length);
  const lists = await Promise.all(
    Array.from({ length: parts }, async (_, part) => {
      const file = folder.file(`requests-${part}`);
      await writeFile(file, listOf(scenario, part, parts, seconds * mostASecond), 'latin1');
      return file;
    }),
  );
  const outcomes = await Promise.all(
    lists.map((requests, part) => {
      const share = Math.floor((clients + part) / parts);
      return generator.run({ port: ports[part % ports.length] ?? 0, connections: share, seconds, requests }, part);
    }),
  );
  const answers = sum(outcomes.map((outcome) => outcome.answers));
  scenario.place += Math.ceil(answers / parts);
  return {
    rate: sum(outcomes.map((outcome) => outcome.answers / outcome.seconds)),
    answers,
    wrong: outcomes.flatMap((outcome) => wrongIn(outcome, scenario)),
    p50: Math.max(...outcomes.map(({ p50 }) => p50)),
    p99: Math.max(...outcomes.map(({ p99 }) => p99)),
    busy: Math.max(...outcomes.map(({ cpu, seconds }) => cpu / seconds)),
  };
}

/** The number of requests per scenario whose answers are checked. */
export const checks = 20;

/** Sends some requests one by one and checks their bodies. Under load, only statuses are checked. */
export async function check(port: number, scenario: Scenario): Promise<string[]> {
  const wrong: string[] = [];
  for (let index = 0; index < checks; index++) {
    const { method, path, headers, body, status, answer } = scenario.ask(index % scenario.length);
    const content =
      body === undefined ? { headers: headers ?? {} } : { body, headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual', ...content });
    const text = await response.text();
    if (response.status !== status || !text.startsWith(answer)) wrong.push(`${response.status} ${text}`);
  }
  return wrong;
}

/** The requests of one process, starting where the last load ended. */
function listOf({ length, group, place, ask }: Scenario, part: number, parts: number, most: number): string {
  const own = Math.floor(length / parts / group) * group;
  const [first, size] = own === 0 ? [0, length] : [part * own, own];
  const start = Math.ceil(place / group) * group;
  const requests = Array.from({ length: Math.min(size, most) }, (_, index) =>
    textOf(ask(first + ((start + index) % size))),
  );
  return requests.join(separator);
}

function textOf({ method, path, headers = { Accept: 'application/json' }, body }: Ask): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: license.example.com\r\n`;
  return body === undefined
    ? `${head}${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`
    : `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Under load, either all answers are refusals or none is. */
function wrongIn({ answers, refused, broken }: Outcome, { ask, lost = 0 }: Scenario): string[] {
  const expected = ask(0).status < 400 ? 0 : answers;
  return [
    ...(Math.abs(refused - expected) <= lost * answers
      ? []
      : [`${refused} of ${answers} answers had a status of 400 or more`]),
    ...(broken === 0 ? [] : [`${broken} connections failed`]),
  ];
}
