import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '../../adapters/node/clock.ts';
import { rest } from './acting.ts';
import { isOfLicense, type LicenseScenario, type Scenario, scenarios, switchPath } from './scenarios.ts';
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
/** The paths of the license API. Only they take part in a scenario, so that the guides can be read meanwhile. */
const ofLicenses = /^(?:\/api\/license)?\/(?:activate|verify|deactivate|status|lease)(?:\?|$)/;
/** Seconds after which clients may call again, in the scenario `limit`. */
const retryAfter = 60;
/** Calls a minute: more than any test makes. */
const most = '1000000';
/** Who issues the licenses. */
const operator = { kind: 'operator', by: { actor: 'latchkey simulate' } } as const;

/**
 * Starts the service in memory, with one license. Throws `Stop` if the package `latchkey` is not installed, or the port cannot be used.
 */
export async function simulate({ scenario, port, maxDomains, delay }: SimulationOptions): Promise<Simulation> {
  const { embed } = await loadLatchkey();
  let service: Service | undefined;
  let current = scenario;
  let license: SimulatedLicense;

  const server = createServer((asked, answer) => {
    respond(asked, answer).catch(({ message }: Error) => send(answer, 502, { error: 'simulation_failed', message }));
  });
  async function respond(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (asked.url === switchPath && asked.method === 'POST') return await change(await text(asked), answer);
    if (!ofLicenses.test(asked.url ?? '')) return await pass(asked, answer);
    if (current === 'outage') return void asked.socket.destroy();
    if (current === 'slow') await rest(delay);
    if (current === 'error' || current === 'limit') {
      const failure = failures[current];
      return send(answer, failure.status, bodyOf(asked, failure), failure.headers);
    }
    await pass(asked, answer);
  }
  async function change(body: string, answer: ServerResponse): Promise<void> {
    const wanted = scenarioIn(body);
    if (wanted === undefined) {
      const message = `There is no such scenario. There are ${scenarios.join(', ')}.`;
      return send(answer, 422, { error: 'unknown_scenario', message, scenario: current });
    }
    await license.become(isOfLicense(wanted) ? wanted : 'valid');
    current = wanted;
    send(answer, 200, { scenario: current });
  }
  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { url: inside, clock } = started();
    clock.advance(Math.max(0, systemClock.now() - clock.now()));
    const { method = 'GET', url = '/', headers } = asked;
    const body = await text(asked);
    const kept = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const response = await fetch(inside + license.in(url), {
      ...{ method, redirect: 'manual', headers: Object.fromEntries(kept) },
      ...(body !== '' && { body: license.in(body) }),
    });
    const sent = license.out(await response.text());
    const { 'content-encoding': _, 'content-length': __, ...given } = Object.fromEntries(response.headers);
    answer.writeHead(response.status, given).end(sent);
  }
  function started(): Service {
    if (service === undefined) throw new Error('The service starts. Call again.');
    return service;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  }).catch(({ message }: Error) => {
    throw new Stop('failed', `Port ${port} cannot be used: ${message}`, 'Choose another one with --port.');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const starting = embed({
    now: new Date(systemClock.now()),
    settings: {
      ...{ BASE_URL: url, VERIFY_URL: url, RATE_LIMIT_PAGES: most },
      ...{ RATE_LIMIT_ACTIVATE: most, RATE_LIMIT_DEACTIVATE: most, RATE_LIMIT_STATUS: most, RATE_LIMIT_VERIFY: most },
    },
  });
  starting.catch(() => server.close());
  service = await starting;
  license = await issueLicense(service, maxDomains);
  await license.become(isOfLicense(scenario) ? scenario : 'valid');
  return {
    ...{ url, key: license.key },
    async close() {
      server.close();
      server.closeAllConnections();
      await started().close();
    },
  };
}

interface SimulatedLicense {
  /** The key that clients have. */
  readonly key: string;
  /** Takes a state, with the domains on which the valid license is activated. */
  become(state: LicenseScenario): Promise<void>;
  /** Replaces the key of clients by that of the present state, in an address or a body. */
  in(text: string): string;
  /** The way back. */
  out(text: string): string;
}

/**
 * Issues a license that can have any state at any time, although a revoked license never becomes valid again: each state is a license of its
 * own, and all have the same key for clients.
 */
async function issueLicense({ url, products, issuing, clock }: Service, maxDomains: number): Promise<SimulatedLicense> {
  const product = await products.add({ title: 'Simulated product', ownerId: null }, operator);
  const issue = async (expiresAt: number | null) => {
    const [key = ''] = await issuing.issue({ productId: product.id, maxDomains, expiresAt }, 1, operator);
    return key;
  };
  const key = await issue(null);
  const all = new RegExp(key, 'gi');
  let present = key;

  async function copyDomains(to: string): Promise<void> {
    const { license } = await (await fetch(`${url}/status?license_key=${key}`)).json();
    for (const { domain } of license.domains.toReversed()) {
      const body = JSON.stringify({ license_key: to, domain });
      await fetch(`${url}/activate`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    }
  }

  return {
    key,
    async become(state) {
      if (state === 'valid') {
        present = key;
        return;
      }
      const made = await issue(state === 'expired' ? clock.now() + 1 : null);
      await copyDomains(made);
      if (state === 'expired') clock.advance(1);
      else await issuing.change(made, state === 'revoked' ? 'revoke' : 'suspend', operator);
      present = made;
    },
    in: (text) => text.replaceAll(all, present),
    out: (text) => text.replaceAll(present, key),
  };
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
    headers: {
      ...{ 'Retry-After': String(retryAfter), 'X-RateLimit-Limit': '120', 'X-RateLimit-Remaining': '0' },
    },
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
