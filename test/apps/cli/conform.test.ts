import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { DomUtils, parseDocument } from 'htmlparser2';
import type { Case, KitRequest } from '../../../apps/cli/conformance/kit.ts';
import { domainsOfMany, vectors } from '../../../apps/cli/conformance/vectors.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { event } from '../../../core/events/event.ts';
import { blankProduct } from '../../../core/marketplace/product.ts';
import { type Account, type AccountService, startAccountService } from '../../adapters/http/account/account-service.ts';
import { by } from '../../support/by.ts';
import { type Computer, makeComputer } from '../../support/cli.ts';
import { issuedAt, must, newProduct } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';

/** A call to the license API, with what the real server answers. */
interface Call {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The body of the request. */
  readonly sent: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers
  readonly body: any;
}

interface Fault {
  /** The cases that must fail. */
  readonly finds: readonly string[];
  /** Returns the body that a server with the fault answers, or `undefined` if it is the right one. */
  answer(call: Call): unknown;
}

const textOf = ({ json, query }: KitRequest) => (json as { domain: string } | undefined)?.domain ?? query?.domain;

const isVerify = ({ url }: Call) => url.pathname.endsWith('/verify');

/** Servers with a fault each. */
const faults: Readonly<Record<string, () => Fault>> = {
  'that compares domains as they are typed': () => ({
    finds: [
      ...['verify-normalizes', 'domains-letter-case', 'domains-schemes', 'domains-user-info'],
      ...['domains-international-names', 'domains-ipv6'],
    ],
    answer: (call) =>
      isVerify(call) && /[A-Z/]/.test(call.url.searchParams.get('domain') ?? '') && call.status === 200
        ? { valid: false, error: 'invalid_domain' }
        : undefined,
  }),
  'that lets a revoked license go on': () => ({
    finds: ['revoked'],
    answer: (call) =>
      isVerify(call) && call.body.error === 'revoked' ? { valid: true, license: { expires_at: null } } : undefined,
  }),
  'that counts each verification, valid or not': () => {
    const refused = new Map<string, number>();
    return {
      finds: ['verify-counts-only-valid'],
      answer(call) {
        const key = call.url.searchParams.get('license_key') ?? '';
        if (isVerify(call) && call.body.error === 'invalid_domain') refused.set(key, (refused.get(key) ?? 0) + 1);
        if (!call.url.pathname.endsWith('/status') || call.status !== 200) return undefined;
        const { license } = call.body;
        const count = license.verification_count + (refused.get(key) ?? 0);
        return { ...call.body, license: { ...license, verification_count: count } };
      },
    };
  },
  'that does not write international names in Punycode': () => ({
    finds: ['domains-international-names'],
    answer({ sent, body }) {
      const typed = /"domain":"([^"]+)"/.exec(sent)?.[1] ?? '';
      return /\p{L}/u.test(typed.replaceAll(/[!-~]/g, '')) && body.domain?.includes('xn--')
        ? { ...body, domain: typed.toLowerCase() }
        : undefined;
    },
  }),
  'that keeps valid answers': () => {
    const kept = new Map<string, unknown>();
    return {
      finds: ['deactivate-frees', 'long-paths'],
      answer(call) {
        if (!isVerify(call)) return undefined;
        const name = call.url.search;
        if (call.body.valid) kept.set(name, call.body);
        return kept.get(name);
      },
    };
  },
};

describe('latchkey conform', () => {
  let service: AccountService;
  let seller: Account;
  let door: Server;
  let fault: Fault | undefined;
  let computer: Computer;
  before(async () => {
    service = await startAccountService({
      ...{ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_ACTIVATE: '1000', RATE_LIMIT_DEACTIVATE: '1000' },
      ...{ RATE_LIMIT_STATUS: '1000', RATE_LIMIT_VERIFY: '1000' },
    });
    seller = await service.account('pro');
    const product = newProduct({ slug: 'jar', title: 'Jar', ownerId: seller.user.id, isLive: true, ...blankProduct });
    const products = await service.parts.get(t.productStore);
    await products.add(product, (slug) => event('product.added', slug, by, issuedAt));
    door = createServer(async (asked, answer) => {
      const { method = '', url = '', headers } = asked;
      const body = await buffer(asked);
      // Licenses expire by the time of the command.
      service.clock.advance(Math.max(0, Date.now() - service.clock.now()));
      const behind = request(service.url + url, { method, headers }, async (response) => {
        const content = await buffer(response);
        const status = response.statusCode ?? 0;
        const isJson = response.headers['content-type']?.includes('json');
        const call = {
          url: new URL(url, service.url),
          headers,
          sent: body.toString(),
          status,
          body: isJson ? JSON.parse(content.toString()) : {},
        };
        const other = fault?.answer(call);
        const { 'content-length': _, ...others } = response.headers;
        answer.writeHead(status, others).end(other === undefined ? content : JSON.stringify(other));
      });
      behind.end(body);
    });
    await once(door.listen(0, '127.0.0.1'), 'listening');
    const { port } = door.address() as AddressInfo;
    computer = await makeComputer({ LATCHKEY_URL: `http://127.0.0.1:${port}`, LATCHKEY_API_KEY: seller.key });
  });
  afterEach(() => {
    fault = undefined;
  });
  after(async () => {
    door?.closeAllConnections();
    await new Promise((resolve) => door.close(resolve));
    await service?.close();
    await computer?.folder.remove();
  });

  const conform = (...args: string[]) => computer.run(['conform', ...args]);

  /** Writes a file of keys for all cases, with enough licenses of each kind. */
  async function licenseFile(): Promise<string> {
    const issue = async (maxDomains: number, expires: number | null = null) => {
      const end = expires === null ? null : new Date(expires).toISOString();
      const body = { product: 'jar', count: 50, max_domains: maxDomains, expires_at: end };
      const { body: issued } = await seller.post('/api/licenses', body);
      return issued.data.map(({ key }: { key: string }) => key) as string[];
    };
    const [one, two, many] = [await issue(1), await issue(2), await issue(50)];
    const [revoked, suspended] = [await issue(1), await issue(1)];
    const expired = await issue(1, service.clock.now() + 1_000);
    service.clock.advance(2_000);
    for (const [keys, act] of [
      [revoked, 'revoke'],
      [suspended, 'suspend'],
    ] as const) {
      expect((await seller.post('/api/licenses/bulk', { action: act, keys })).status).to.equal(200);
    }
    const path = computer.folder.file('licenses.json');
    await writeFile(path, JSON.stringify({ one, two, many, revoked, suspended, expired }));
    return path;
  }

  itLong('finds no fault in a real server, with licenses that it issues itself', async () => {
    const { code, stdout, stderr } = await conform('--product', 'jar');
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout)
      .to.match(/^✔ An activation binds/)
      .and.match(/\n\d\d passed, 0 failed, 0 skipped\n$/);
  });

  itLong('finds no fault in a real server with any vector of domains', async () => {
    const { code, stdout, stderr } = await conform('--product', 'jar', '--only', 'domains', '--vectors', 'all');
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/\n\d\d passed, 0 failed, 0 skipped\n$/);
  });

  for (const [name, plant] of Object.entries(faults)) {
    itLong(`finds the fault of a server ${name}, and only that`, async () => {
      fault = plant();
      const { code, stdout, stderr } = await conform('--licenses', await licenseFile(), '--report', 'json');
      expect(code, stderr).to.equal(4);
      const { cases } = JSON.parse(stdout);
      const failed = cases.filter(({ state }: { state: string }) => state === 'failed');
      expect(failed.map(({ id }: { id: string }) => id)).to.deep.equal(fault.finds);
      expect(failed[0]).to.have.nested.property('failure.answer.status');
      expect(failed[0].guide).to.match(/^http:\/\/127\.0\.0\.1:\d+\/docs\/license-api#/);
    });
  }

  itLong('finds with all vectors a fault that the sample does not show', async () => {
    fault = must(faults['that does not write international names in Punycode'])();
    const lengths = ['--product', 'jar', '--only', 'domains-lengths'];
    expect((await conform(...lengths)).code).to.equal(0);
    const { code, stdout } = await conform(...lengths, '--vectors', 'all');
    expect(code).to.equal(4);
    expect(stdout).to.include('A label has at most 63 characters').and.include('/domain must be equal');
  });

  itLong('shows the request, the answer and the rule of a case that failed, as text and as JUnit', async () => {
    fault = must(faults['that lets a revoked license go on'])();
    const keys = await licenseFile();
    const text = await conform('--licenses', keys, '--only', 'revoked');
    expect(text.stdout)
      .to.include('✘ A license that is revoked')
      .and.include('GET /verify?license_key=LIC-')
      .and.include('Answer: 200 {"valid":true')
      .and.match(/ See http:.+\/docs\/license-api#refusals\n/);
    expect(text.stderr).to.include('1 of 1 cases failed');
    const { stdout, code } = await conform('--licenses', await licenseFile(), '--only', 'status', '--report', 'junit');
    expect(code).to.equal(4);
    const xml = parseDocument(stdout, { xmlMode: true });
    const [suite] = DomUtils.getElementsByTagName('testsuite', xml);
    expect(suite?.attribs).to.include({ name: 'License API', tests: '4', failures: '1', skipped: '0' });
    expect(DomUtils.getElementsByTagName('testcase', xml)).to.have.length(4);
    expect(DomUtils.getElementsByTagName('failure', xml)).to.have.length(1);
  });

  it('prints the cases and the vectors themselves, for programs in other languages', async () => {
    const { cases, answers, vectors } = JSON.parse((await conform('--data')).stdout);
    expect(Object.keys(answers)).to.include('status');
    expect(cases[0].steps[0].request).to.include({ method: 'POST', path: '/activate' });
    const file = new URL('../../../apps/sdk/vectors/domains.json', import.meta.url);
    expect(vectors).to.deep.equal(JSON.parse(await readFile(file, 'utf8')));
  });

  it('tries each vector of domains in exactly one call, or a sample with at least one of each group', async () => {
    const ofDomains = async (...args: string[]): Promise<Case[]> =>
      JSON.parse((await conform('--data', ...args)).stdout).cases.filter(({ group }: Case) => group === 'domains');
    const [sample, all] = [await ofDomains(), await ofDomains('--vectors', 'all')];
    const calls = all.flatMap(({ steps }) => steps);
    expect(calls.map(({ request }) => textOf(request)).sort()).to.deep.equal(
      vectors.cases.map(({ input }) => input).sort(),
    );
    expect(sample.map(({ id }) => id)).to.deep.equal(all.map(({ id }) => id));
    // No more than the usual limits allow in a minute.
    expect(sample.flatMap(({ steps }) => steps).length).to.be.at.most(50);
    for (const { id, licenses, steps } of all) {
      const bound = steps.filter(({ request }) => request.path === '/activate').length;
      const allowed = { one: 1, two: 2, many: domainsOfMany }[licenses[0] as 'one' | 'two' | 'many'];
      expect(bound, id).to.be.at.most(allowed);
    }
  });

  itLong('leaves out the cases whose licenses are missing, and says which', async () => {
    const path = computer.folder.file('none.json');
    await writeFile(path, '{"one": []}');
    const { code, stdout } = await conform('--licenses', path, '--only', 'keys');
    expect(code).to.equal(0);
    expect(stdout).to.include('(skipped: It needs a license: one.)').and.include('1 passed, 0 failed, 1 skipped');
  });

  itLong('says what is wrong with its options and files', async () => {
    expect(await conform()).to.deep.include({ code: 2, stdout: '' });
    expect((await conform()).stderr).to.match(/--licenses: \d+ one, \d+ two, 1 suspended/);
    const path = computer.folder.file('wrong.json');
    for (const text of ['', '[]', '{"three": []}', '{"one": "LIC"}', '{"one": [1]}']) {
      await writeFile(path, text);
      expect((await conform('--licenses', path)).stderr, text).to.include('is no file of licenses');
    }
    expect((await conform('--licenses', computer.folder.file('missing'))).stderr).to.include('cannot be read');
    expect((await conform('--product', 'jar', '--only', 'nothing')).stderr).to.include('No case has nothing');
    expect((await conform('--product', 'unknown')).code).to.equal(4);
  });
});
