import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { bodyOf } from '../../adapters/webhook-body.ts';
import { signed } from '../../adapters/webhooks/signatures.ts';
import { toUserId } from '../../core/id.ts';
import { sampleOf } from '../../core/webhooks/sample.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { type WebhookEventType, webhookEventTypes } from '../../core/webhooks/webhook-event.ts';
import { type Account, type AccountService, startAccountService } from '../adapters/http/account/account-service.ts';
import { operator } from '../support/by.ts';
import { type Json, operationsOf } from '../support/conformance.ts';
import { must } from '../support/license-acts.ts';

const docs = new URL('../../apps/docs/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, docs), 'utf8');
const guide = textOf('automation.md');
const require = createRequire(import.meta.url);
const minute = 60_000;

interface Node {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  readonly parameters: Json;
}

interface Workflow {
  readonly nodes: readonly Node[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

const workflows: Readonly<Record<string, Workflow>> = {
  'n8n-events.json': JSON.parse(textOf('n8n-events.json')),
  'n8n-form.json': JSON.parse(textOf('n8n-form.json')),
};
const nodeOf = (file: string, name: string) =>
  must(workflows[file]?.nodes.find((node) => node.name === name)).parameters;

/** Evaluates a value of n8n: a text that begins with `=` contains expressions in `{{ }}`. */
// biome-ignore lint/suspicious/noExplicitAny: what the expression says
function evaluate(value: string, $json: Json, others: Readonly<Record<string, Json>> = {}): any {
  if (!value.startsWith('=')) return value;
  const $ = (name: string) => ({ first: () => ({ json: others[name] }), item: { json: others[name] } });
  const run = (code: string) => new Function('$json', '$', `return (${code});`)($json, $);
  const [, only] = /^=\{\{((?:(?!\}\}).)+)\}\}$/s.exec(value) ?? [];
  if (only !== undefined) return run(only);
  return value.slice(1).replaceAll(/\{\{(.+?)\}\}/g, (_, code: string) => String(run(code)));
}

const secret = mintWebhookSecret(systemSecrets);
const other = mintWebhookSecret(systemSecrets);

function messageOf(type: WebhookEventType) {
  const facts = { type, ownerId: toUserId(1), isLive: true, product: undefined } as const;
  const body = bodyOf(sampleOf({ ...facts, at: Date.now() }), 'evt_1').replace('Sample product', 'Κέικ 🍰');
  return { id: 'evt_1', body } as const;
}

/** Runs a check of the guide on a body and its headers. */
type Check = (headers: Readonly<Record<string, string>>, body: string) => Promise<Json>;

const AsyncFunction = (async () => {}).constructor as new (...code: string[]) => (...given: unknown[]) => Promise<Json>;

const checks: Readonly<Record<string, Check>> = {
  'the node of n8n': async (headers, body) => {
    const { jsCode } = nodeOf('n8n-events.json', 'Check the signature');
    const first = () => ({ json: { headers, webhook_secret: secret } });
    const helpers = { getBinaryDataBuffer: async () => Buffer.from(body) };
    const run = new AsyncFunction('require', '$input', jsCode);
    const { 0: item } = await run.call({ helpers }, require, { first });
    return item.json;
  },
  'the code for Zapier': async (headers, body) => {
    const [, code = ''] = /```js\n([\s\S]+?)```/.exec(guide) ?? [];
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
    const run = new AsyncFunction('require', 'inputData', code);
    const { genuine, ...found } = await run(require, { body, id, time, signatures, secret });
    return { genuine: genuine === 'yes', ...found };
  },
};

describe('the guide to automation', () => {
  for (const [name, check] of Object.entries(checks)) {
    describe(name, () => {
      const message = messageOf('license.expiring');
      const at = (moment: number, secrets: readonly [string, ...string[]] = [secret]) =>
        signed({ ...message, at: moment, secrets });

      it('accepts what Latchkey sends, also while the secret changes, and passes the event on', async () => {
        for (const headers of [at(Date.now()), at(Date.now() - 4 * minute), at(Date.now(), [other, secret])]) {
          const found = await check(headers, message.body);
          expect(found).to.deep.include({ genuine: true, event: 'license.expiring' });
          expect(found.data?.days_left ?? found.days_left).to.equal(7);
        }
      });

      it('refuses another body, id, time or secret, an old request, and one without a signature', async () => {
        const headers = at(Date.now());
        for (const [wrong, body] of [
          [headers, message.body.replace('"livemode":true', '"livemode":false')],
          [{ ...headers, 'webhook-id': 'evt_2' }, message.body],
          [{ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, message.body],
          [{ ...headers, 'webhook-signature': 'v1,' }, message.body],
          [{ ...headers, 'webhook-signature': must(headers['webhook-signature']).replace('v1', 'v2') }, message.body],
          [at(Date.now(), [other]), message.body],
          [at(Date.now() - 6 * minute), message.body],
          [{}, message.body],
        ] as const) {
          expect(await check(wrong as Record<string, string>, body)).to.deep.equal({ genuine: false });
        }
      });
    });
  }

  for (const [file, { nodes, connections }] of Object.entries(workflows)) {
    describe(file, () => {
      it('is linked, has nodes with different names and ids, and each is reached from the first one', () => {
        expect(guide).to.include(`](${file})`);
        const names = nodes.map(({ name }) => name);
        expect(new Set(names).size).to.equal(names.length);
        expect(new Set(nodes.map(({ id }) => id)).size).to.equal(names.length);
        const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
        expect(names).to.include.members(Object.keys(connections));
        expect([...new Set([names[0], ...targets])]).to.have.members(names);
      });

      it('has no key, secret or address of a real server', () => {
        expect(textOf(file)).to.not.match(/whsec_[A-Za-z0-9]|lk_sk_/);
        const hosts = Array.from(textOf(file).matchAll(/https?:\/\/([\w.-]+)/g), ([, host = '']) => host);
        for (const host of hosts) expect(host).to.match(/\.example\.com$/);
      });

      it('has nodes of which the guide speaks', () => {
        const spoken = Array.from(guide.matchAll(/"([A-Z][\w ?]+)"/g), ([, name = '']) => name);
        const all = Object.values(workflows).flatMap((one) => one.nodes.map(({ name }) => name));
        const others = ['Webhooks by Zapier', 'Catch Hook'];
        expect([...all, ...others]).to.include.members(spoken);
      });
    });
  }

  it('branches at events that there are', () => {
    const { rules } = nodeOf('n8n-events.json', 'Which event?');
    const asked = rules.values.map(({ conditions }: Json) => conditions.conditions[0].rightValue);
    expect(asked).to.have.length.above(1);
    expect(webhookEventTypes).to.include.members(asked);
  });

  describe('with a server', () => {
    let service: AccountService;
    let seller: Account;
    let form: Json;
    let license: Json;
    before(async () => {
      service = await startAccountService({ RATE_LIMIT_URL: 'off:' });
      seller = await service.account('pro');
      await service.products.add({ title: 'Simple DEX', ownerId: seller.user.id }, operator);
      const settings = nodeOf('n8n-form.json', 'Settings').assignments.assignments;
      const set = Object.fromEntries(settings.map(({ name, value }: Json) => [name, value]));
      form = { ...set, latchkey_url: service.url, body: { id: 'form-17', email: 'ada@example.com', name: 'Ada "A"' } };
    });
    after(() => service.close());

    async function send(node: Json, $json: Json, others: Readonly<Record<string, Json>> = {}): Promise<Json> {
      const parameters: readonly Json[] = node.headerParameters?.parameters ?? [];
      const headers = Object.fromEntries(parameters.map(({ name, value }) => [name, evaluate(value, $json)]));
      const path = evaluate(node.url, $json, others).replace(service.url, '');
      const { status, body } = await service.send(path, {
        method: node.method ?? 'GET',
        headers: { 'X-API-Key': seller.key, 'Content-Type': 'application/json', ...headers },
        ...(node.jsonBody && { body: JSON.stringify(evaluate(node.jsonBody, $json)) }),
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    }

    it('issues one license for a form that arrives twice, to the person who sent it', async () => {
      const node = nodeOf('n8n-form.json', 'Issue a license');
      const issued = await send(node, form);
      expect(issued.data[0]).to.deep.include({
        holder: { email: 'ada@example.com', name: 'Ada "A"' },
        reference: 'form-17',
      });
      expect(await send(node, form)).to.deep.equal(issued);
      license = issued.data[0];
      const mail = nodeOf('n8n-form.json', 'Send the key');
      expect(evaluate(mail.text, issued)).to.include(license.key);
      expect(evaluate(mail.subject, issued)).to.equal('Your license of Simple DEX');
      expect(evaluate(mail.toEmail, issued, { Settings: form })).to.equal('ada@example.com');
    });

    it('tells the team who holds a license that ends, and which key may have leaked', async () => {
      const get = nodeOf('n8n-events.json', 'Get the license');
      const event = JSON.parse(messageOf('license.expiring').body);
      event.data.license_key = license.key;
      const found = await send(get, event, { Settings: form });
      const [{ value: end }] = nodeOf('n8n-events.json', 'Write about the end').assignments.assignments;
      expect(evaluate(end, found, { 'Which event?': event })).to.equal(
        `Simple DEX of ada@example.com ends in 7 days: ${license.key}`,
      );
      const leak = JSON.parse(messageOf('license.leak_suspected').body);
      const [{ value: text }] = nodeOf('n8n-events.json', 'Write about the leak').assignments.assignments;
      expect(evaluate(text, leak)).to.equal(`${leak.data.license_key} is asked for by 3 foreign domains.`);
      const tell = nodeOf('n8n-events.json', 'Tell the team');
      expect(evaluate(tell.jsonBody, { text: 'x' })).to.deep.equal({ text: 'x' });
    });

    it('needs only the scopes that the guide names, and sends only headers that the API knows', async () => {
      const { body: document } = await service.send('/openapi.json', {});
      const called = ['getLicense', 'issueLicenses'].map((id) =>
        must(operationsOf(document).find((one) => one.path.startsWith('/api/licenses') && one.id === id)),
      );
      const scopes = called.flatMap(({ path, method }) =>
        document.paths[path][method.toLowerCase()].security.flatMap(({ apiKey }: Json) => apiKey),
      );
      const [, named = ''] = /with only the scope that it needs: (.+?)\./.exec(guide) ?? [];
      expect(Array.from(named.matchAll(/`([\w:]+)`/g), ([, one]) => one)).to.have.members(scopes);
      const { parameters } = nodeOf('n8n-form.json', 'Issue a license').headerParameters;
      const known = must(called[1]).parameters.map(({ name }: Json) => name);
      for (const { name } of parameters) expect(known).to.include(name);
    });
  });
});
