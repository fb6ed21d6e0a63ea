import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '../../adapters/node/clock.ts';
import { rest } from './acting.ts';
import { type LicenseScenario, type Scenario, scenarios, switchPath } from './scenarios.ts';
import { Stop } from './stop.ts';

/** The package `latchkey`, as far as it is used here. */
interface LatchkeyPackage {
  embed(options: { readonly now: Date; readonly settings: Readonly<Record<string, string>> }): Promise<Service>;
}

interface Service {
  readonly url: string;
  readonly clock: { now(): number; advance(milliseconds: number): void };
  readonly products: { add(product: object, actor: object): Promise<{ readonly id: number }> };
  readonly issuing: {
    issue(terms: object, count: number, actor: object): Promise<readonly string[]>;
    change(key: string, transition: 'revoke' | 'suspend', actor: object): Promise<unknown>;
  };
  close(): Promise<void>;
}

/** A server of the license API in memory, for this machine only. */
export interface Simulation {
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

export interface SimulationOptions {
  readonly scenario: Scenario;
  /** 0: any free one. */
  readonly port: number;
  readonly maxDomains: number;
  /** How long the scenario `slow` waits, in milliseconds. */
  readonly delay: number;
}

/** The headers of a call that the service reads. Others, such as those about the connection, stay here. */
const passedOn = [
  ...['accept', 'accept-signature', 'access-control-request-headers', 'access-control-request-method'],
  ...['content-type', 'origin', 'user-agent'],
];
/** Seconds after which clients may call again, in the scenario `limit`. */
const retryAfter = 60;
/** Who issues the licenses. */
const operator = { kind: 'operator', by: { actor: 'latchkey simulate' } } as const;

/**
 * Starts the service in memory, with one license. Throws `Stop` if the package `latchkey` is not installed, or the port cannot be used.
 */
export async function simulate({ scenario, port, maxDomains, delay }: SimulationOptions): Promise<Simulation> {
  const { embed } = await loadLatchkey();
  const service = await embed({ now: new Date(systemClock.now()), settings: { RATE_LIMIT_URL: 'off:' } });
  const keys = await issueKeys(service, maxDomains);
  let current = scenario;

  const server = createServer((asked, answer) => {
    respond(asked, answer).catch(({ message }: Error) => send(answer, 502, { error: 'simulation_failed', message }));
  });
  async function respond(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (asked.url === switchPath && asked.method === 'POST') {
      const wanted = scenarioIn(await text(asked));
      if (wanted !== undefined) current = wanted;
      return send(answer, wanted === undefined ? 422 : 200, { scenario: current, scenarios });
    }
    if (current === 'outage') return void asked.socket.destroy();
    if (current === 'slow') await rest(delay);
    if (current === 'error' || current === 'limit') {
      const failure = failures[current];
      return send(answer, failure.status, bodyOf(asked, failure), failure.headers);
    }
    await pass(asked, answer, keys[current === 'slow' ? 'valid' : current]);
  }
  /** Each state has a license of its own, and all of them have the same key for clients: so the scenario can change at any time. */
  async function pass(asked: IncomingMessage, answer: ServerResponse, own: string): Promise<void> {
    service.clock.advance(Math.max(0, systemClock.now() - service.clock.now()));
    const inside = (all: string) => all.replaceAll(new RegExp(keys.valid, 'gi'), own);
    const { method = 'GET', url = '/', headers } = asked;
    const body = await text(asked);
    const kept = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const response = await fetch(service.url + inside(url), {
      ...{ method, redirect: 'manual', headers: Object.fromEntries(kept) },
      ...(body !== '' && { body: inside(body) }),
    });
    const sent = (await response.text()).replaceAll(own, keys.valid);
    const { 'content-encoding': _, 'content-length': __, ...given } = Object.fromEntries(response.headers);
    answer.writeHead(response.status, given).end(sent);
  }

  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    await service.close();
    throw new Stop(
      'failed',
      `Port ${port} cannot be used: ${(error as Error).message}`,
      'Choose another one with --port.',
    );
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: keys.valid,
    async close() {
      server.close();
      server.closeAllConnections();
      await service.close();
    },
  };
}

/** The key of a license in each state. */
async function issueKeys({ products, issuing, clock }: Service, maxDomains: number) {
  const product = await products.add({ title: 'Simulated product', ownerId: null }, operator);
  const issue = async (expiresAt: number | null) => {
    const [key = ''] = await issuing.issue({ productId: product.id, maxDomains, expiresAt }, 1, operator);
    return key;
  };
  const [valid, revoked, suspended] = [await issue(null), await issue(null), await issue(null)];
  const expired = await issue(clock.now() + 1);
  clock.advance(2);
  await issuing.change(revoked, 'revoke', operator);
  await issuing.change(suspended, 'suspend', operator);
  return { valid, revoked, suspended, expired } satisfies Record<LicenseScenario, string>;
}

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const failures: Readonly<Record<'error' | 'limit', Failure>> = {
  error: { status: 503, error: 'service_unavailable', message: 'The server cannot answer at the moment. Try again.' },
  limit: {
    ...{ status: 429, error: 'rate_limit_exceeded', message: 'There were too many calls. Try again later.' },
    headers: { 'Retry-After': String(retryAfter), 'X-RateLimit-Remaining': '0' },
  },
};

/** The body of a refusal, as the operation sends it. */
function bodyOf({ url = '' }: IncomingMessage, { error, message }: Failure): object {
  const isVerification = /\/(?:verify|lease)(?:\?|$)/.test(url);
  return { [isVerification ? 'valid' : 'success']: false, error, message };
}

function send(answer: ServerResponse, status: number, body: object, headers: Failure['headers'] = {}): void {
  answer
    .writeHead(status, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*', ...headers })
    .end(JSON.stringify(body));
}

function scenarioIn(body: string): Scenario | undefined {
  try {
    const { scenario } = JSON.parse(body);
    return scenarios.find((one) => one === scenario);
  } catch {
    return undefined;
  }
}

/** Loads the package `latchkey` of the folder in which the command runs, or one beside this package. */
async function loadLatchkey(): Promise<LatchkeyPackage> {
  for (const from of [join(process.cwd(), 'package.json'), fileURLToPath(import.meta.url)]) {
    try {
      return await import(pathToFileURL(createRequire(from).resolve('latchkey')).href);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new Stop(
    'failed',
    'The package latchkey is not installed here. It contains the server that is simulated.',
    'Run `npm install --save-dev latchkey`, or `npx -p latchkey -p latchkey-cli latchkey simulate`.',
  );
}
