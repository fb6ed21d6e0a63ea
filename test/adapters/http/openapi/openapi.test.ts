import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { z } from 'zod';
import { Failure } from '../../../../adapters/http/failures.ts';
import { givenTwice } from '../../../../adapters/http/fields.ts';
import { check } from '../../../../adapters/http/input.ts';
import { openApiDocument } from '../../../../adapters/http/openapi/document.ts';
import { createSchemas, exampleOf } from '../../../../adapters/http/openapi/schema.ts';
import { accountRoutes } from '../../../../apps/wiring/modules/account-api.ts';
import { documentedApis } from '../../../../apps/wiring/modules/site.ts';
import { storefrontRoutes } from '../../../../apps/wiring/modules/storefront.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { scopeNames } from '../../../../core/accounts/scope.ts';
import { type Json, operationsOf } from '../../../support/conformance.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

/** The operations that can be repeated with an Idempotency-Key. */
const idempotent = [
  'publish',
  'upload',
  'register',
  'issueLicenses',
  'importLicenses',
  'suspendLicense',
  'reinstateLicense',
  'revokeLicense',
  'renewLicense',
  'moveLicenseDomain',
  'changeManyLicenses',
  'addLicenseAlias',
  'rotateLicenseKey',
  'setLicenseClock',
  'addProductOffer',
  'addReleaseCode',
  'publishBundle',
  'setBundle',
  'addVersion',
  'setThumbnail',
  'unlistProduct',
  'relistProduct',
  'resubmitProduct',
  'archiveProduct',
  'approveProduct',
  'rejectProduct',
  'createCoupon',
  'endCoupon',
  'refundOrder',
  'payOrder',
  'cancelOrder',
  'undoRefund',
  'takePaymentClaim',
  'rejectPaymentClaim',
  'cancelSubscription',
  'resumeSubscription',
  'createWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'redeliverWebhook',
  'replayWebhook',
];

describe('the document at /openapi.json', () => {
  let service: AccountService;
  let document: Json;
  before(async () => {
    service = await startAccountService();
    document = (await service.send('/openapi.json')).body;
  });
  after(() => service.close());

  itLong('is sent as JSON, to pages of any origin, and only if it has changed', async () => {
    const answer = await service.send('/openapi.json', { headers: { Origin: 'https://anywhere.example' } });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    expect(answer.headers.get('Cache-Control')).to.equal('no-cache');
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('*');
    const etag = answer.headers.get('ETag') ?? '';
    expect((await service.send('/openapi.json', unlessIs(etag))).status).to.equal(304);
    expect((await service.send('/openapi.json', unlessIs('"another"'))).status).to.equal(200);
    expect((await service.send('/openapi.json', { method: 'HEAD' })).headers.get('ETag')).to.equal(etag);
    expect((await service.send('/openapi.json', { method: 'POST' })).status).to.equal(405);
  });

  it('is of OpenAPI 3.1, and of this version of the software', async () => {
    expect(document.openapi).to.equal('3.1.0');
    const { default: manifest } = await import('../../../../package.json', { with: { type: 'json' } });
    expect(document.info.version).to.equal(manifest.version);
  });

  it('has every route once, names its other paths, and has nothing else', async () => {
    const tokens = [t.licenseRoutes, accountRoutes, storefrontRoutes];
    const routes = (await Promise.all(tokens.map((one) => service.parts.get(one)))).flat();
    const served = routes.map(({ method, paths }) => `${method.toUpperCase()} ${paths[0]}`);
    const documented = operationsOf(document).map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(documented).to.have.members(served);
    expect(documented)
      .to.include.members(['GET /verify', 'GET /api/templates/:id/download'])
      .and.not.include('GET /api/license/verify');
    for (const { method, paths } of routes) {
      const [path = '', ...others] = paths.map((one) => one.replaceAll(/:(\w+)/g, '{$1}'));
      const { description = '' } = document.paths[path][method];
      for (const other of others) expect(description, path).to.include(`Also at \`${other}\`.`);
    }
    expect(document.paths['/verify'].get.description).to.include('Also at `/api/license/verify`.');
  });

  it('has every method of a path, with its server', async () => {
    const [read] = (await service.parts.get(accountRoutes)).filter(({ method }) => method === 'get');
    if (read === undefined) throw new Error('There is no such route.');
    const remove = { ...read, id: 'remove-it', method: 'delete' } as const;
    const apis = [{ routes: [read, remove], url: 'https://license.example' }];
    const { paths } = openApiDocument({ apis, webhooks: [], url: 'https://shop.example', version: '1' });
    const [path] = Object.values(paths);
    expect(Object.keys(path ?? {})).to.have.members(['servers', 'get', 'delete']);
    expect(path?.servers).to.deep.equal([{ url: 'https://license.example' }]);
  });

  it('gives each operation a unique id, which is a valid name in any programming language', () => {
    const ids = operationsOf(document).map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids) expect(id).to.match(/^[a-z][a-zA-Z0-9]*$/);
    expect(ids).to.include.members(['verify', 'listTemplates']);
  });

  it('requires an API key on the account API only, but not for the products of all, and of programs that ask for one', () => {
    for (const { path, needsKey } of operationsOf(document)) {
      expect(needsKey, path).to.equal(
        path.startsWith('/api/') && !/^\/api\/(?:device|marketplace\/products)(?:\/|$)/.test(path),
      );
    }
    expect(document.components.securitySchemes.apiKey).to.include({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
  });

  it('names the scope that a call needs', () => {
    const { get: me } = document.paths['/api/auth/me'];
    expect(me.security).to.deep.equal([{ apiKey: ['account:read'] }]);
    expect(me.description).to.equal('Needs the scope `account:read`.');
    expect(document.paths['/api/keys/{id}'].delete.security).to.deep.equal([{ apiKey: [] }]);
    const { description } = document.components.securitySchemes.apiKey;
    for (const scope of scopeNames) expect(description).to.include(`\`${scope}\``);
  });

  it('refers only to components that exist, and has no unused component', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, to]) => to);
    const kinds = ['schemas', 'responses', 'headers', 'parameters'];
    const components = kinds.flatMap((kind) => Object.keys(document.components[kind]).map((name) => `${kind}/${name}`));
    expect([...new Set(references)]).to.have.members(components);
    expect(JSON.stringify(document).match(/\$defs|\$schema/)).to.equal(null);
  });

  it('begins the names of schemas, responses and parameters with their part: an API, the storefront or events', () => {
    const { schemas, responses, parameters } = document.components;
    for (const name of Object.keys({ ...schemas, ...responses })) {
      expect(name).to.match(/^(?:License|Account|Storefront|Event)(?:[A-Z]|$)/);
    }
    const { IdempotencyKey: _, ...ofEvents } = parameters;
    for (const name of Object.keys(ofEvents)) expect(name).to.match(/^Event[A-Z]/);
    // No part refers to another one. Events, failures and requests of both APIs have their own schemas.
    for (const [name, schema] of Object.entries({ ...schemas, ...responses })) {
      const part = /^[A-Z][a-z]+/.exec(name)?.[0];
      for (const [, other] of JSON.stringify(schema).matchAll(/schemas\/([A-Z][a-z]+)/g)) {
        expect([part, part === 'Storefront' ? 'Account' : part], name).to.include(other);
      }
    }
  });

  it('has a name for each response that is no success, and one schema for all failures of a form', () => {
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      for (const [status, response] of Object.entries<Json>(Object.values<Json>(item)[0]?.responses)) {
        if (status !== '200') expect(Object.keys(response), `${path} ${status}`).to.deep.equal(['$ref']);
      }
    }
    const used = Object.values<Json>(document.components.responses).flatMap(
      ({ content }) => content?.['application/json'].schema.$ref.replace(/.*\//, '') ?? [],
    );
    expect(new Set(used)).to.deep.equal(
      new Set(['LicenseVerdictError', 'LicenseLeaseError', 'LicenseError', 'AccountError']),
    );
    const { schema } = document.paths['/verify'].get.responses['200'].content['application/json'];
    expect(schema).to.deep.equal({ $ref: '#/components/schemas/LicenseVerdict' });
    const { LicenseVerdictInvalid: refusal } = document.components.schemas;
    expect(refusal.properties.error.enum).to.have.members([
      'invalid_domain',
      'suspended',
      'revoked',
      'expired',
      'not_entitled',
    ]);
    for (const item of Object.values<Json>(document.webhooks)) {
      expect(item.post.requestBody.content['application/json'].schema.$ref).to.match(/\/Event\w+$/);
      for (const part of [...item.post.parameters, ...Object.values(item.post.responses)]) {
        expect(part).to.have.keys('$ref');
      }
    }
  });

  it('allows new fields in answers', () => {
    expect(JSON.stringify(document)).not.to.include('"additionalProperties":false');
  });

  it('declares the statuses of each operation, and of the checks that run before it', () => {
    const statuses = Object.fromEntries(
      operationsOf(document).map(({ id, responses }) => [id, Object.keys(responses).join(' ')]),
    );
    expect(statuses).to.deep.include({
      verify: '200 404 422 429 500 503',
      activate: '200 400 403 404 408 413 415 422 429 500 503',
      deactivate: '200 400 403 404 408 409 413 415 422 429 500 503',
      status: '200 404 422 429 500 503',
      me: '200 401 403 429 500 503',
      listKeys: '200 401 403 429 500 503',
      revokeKey: '200 401 403 404 422 429 500 503',
      downloadTemplate: '200 401 403 404 422 429 500 503',
      publish: '200 400 401 403 409 413 415 422 429 500 503',
      preflight: '200 400 401 403 408 413 415 422 429 500 503',
    });
  });

  itLong('names the headers of each answer', () => {
    for (const { id, responses } of operationsOf(document)) {
      for (const [status, { headers }] of Object.entries(responses)) {
        const names = Object.keys(headers);
        expect(names, `${id} ${status}`).to.include.members([
          'X-RateLimit-Limit',
          'X-RateLimit-Remaining',
          'X-Request-Id',
        ]);
        expect(names.includes('Retry-After'), `${id} ${status}`).to.equal(/^(?:409|429|503)$/.test(status));
        expect(names.includes('WWW-Authenticate'), `${id} ${status}`).to.equal(status === '401');
        expect(names.includes('Idempotency-Replayed'), `${id} ${status}`).to.equal(
          status === '200' && idempotent.includes(id),
        );
      }
    }
  });

  it('declares an Idempotency-Key only for the operations that use it', () => {
    const taking = operationsOf(document).filter(({ parameters }) =>
      parameters.some(({ name, in: place }) => name === 'Idempotency-Key' && place === 'header'),
    );
    expect(taking.map(({ id }) => id)).to.have.members(idempotent);
  });

  it('describes forms with their files', () => {
    const publish = operationsOf(document).find(({ id }) => id === 'publish');
    const { schema, encoding } = publish?.requestBody?.content['multipart/form-data'] ?? {};
    expect(schema.required).to.have.members([
      'module',
      'title',
      'tagline',
      'description',
      'price',
      'product_zip',
      'thumbnail',
    ]);
    expect(schema.properties.thumbnail).to.include({ type: 'string', format: 'binary' });
    expect(encoding).to.deep.equal({
      product_zip: { contentType: 'application/zip' },
      thumbnail: { contentType: 'image/png, image/jpeg' },
    });
  });

  itLong(
    'has an example of every parameter, header, body, answer and event, in each of their media types, which matches its schema',
    () => {
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
      formats.default(ajv);
      ajv.addVocabulary(['components']).addFormat('binary', true);
      const { schemas, headers, parameters } = document.components;
      // Many operations share schemas, and compiling takes long.
      const compiled = new Map<string, ValidateFunction>();
      const compile = (schema: Json) => {
        const text = JSON.stringify(schema);
        const validate = compiled.get(text) ?? ajv.compile({ ...schema, components: { schemas } });
        compiled.set(text, validate);
        return validate;
      };
      const wrong = (schema: Json, examples: readonly unknown[]) => {
        const validate = compile(schema);
        return examples.length === 0
          ? ['there is none']
          : examples.flatMap((example) => (validate(example) ? [] : [ajv.errorsText(validate.errors)]));
      };
      const examplesOf = ({ example, examples }: Json) => [
        ...(example === undefined ? [] : [example]),
        ...Object.values<Json>(examples ?? {}).map(({ value }) => value),
      ];
      const faultsOf = (place: string, { content = {} }: Json) =>
        Object.entries<Json>(content).map(([type, one]) => [place, type, ...wrong(one.schema, examplesOf(one))]);
      const operations = operationsOf(document);
      const found = [
        ...operations.flatMap((operation) => [
          ...operation.parameters.map(({ name, schema, example }) => [operation.id, name, ...wrong(schema, [example])]),
          ...faultsOf(`${operation.id} body`, operation.requestBody ?? {}),
          ...Object.entries(operation.responses).flatMap(([status, one]) => faultsOf(`${operation.id} ${status}`, one)),
        ]),
        ...Object.entries<Json>(document.webhooks).flatMap(([name, { post }]) => faultsOf(name, post.requestBody)),
        ...Object.entries<Json>({ ...headers, ...parameters }).map(([name, { schema, example }]) => [
          ...[name, 'header', ...wrong(schema, [example])],
        ]),
      ];
      const { length } = operations.flatMap(({ responses }) => Object.keys(responses));
      expect(found).to.have.length.above(length);
      expect(found.filter((line) => line.length > 2)).to.deep.equal([]);
      for (const [name, { examples = [], ...schema }] of Object.entries<Json>(schemas)) {
        for (const example of examples) expect(wrong(schema, [example]), name).to.deep.equal([]);
      }
    },
  );

  it('makes up no text where a schema lacks an example', () => {
    const schemas = createSchemas();
    const schema = (note: z.ZodType) => schemas.of(z.object({ note, count: z.int() }), 'output');
    expect(() => exampleOf(schema(z.string()), schemas)).to.throw('This text has no example: {"type":"string"}');
    expect(exampleOf(schema(z.string().meta({ example: 'For us' })), schemas)).to.deep.equal({
      note: 'For us',
      count: 1,
    });
  });

  itLong('has a relative address, so that programs call where the document came from', async () => {
    expect(document.servers).to.deep.equal([{ url: '/' }]);
    expect(JSON.stringify(document)).not.to.include(service.url);
    for (const BASE_URL of ['http://localhost:8080/base', 'http://127.0.0.1/base', 'http://[::1]:3000/base']) {
      await using local = await startAccountService({ BASE_URL });
      const { body } = await local.send('/openapi.json');
      expect(body.servers).to.deep.equal([{ url: '/base' }]);
      expect(body.paths['/verify']).not.to.have.property('servers');
    }
    await using verifier = await startAccountService({ VERIFY_URL: 'https://verify.latchkey.example' });
    const { body } = await verifier.send('/openapi.json');
    expect(body.servers).to.deep.equal([{ url: '/' }]);
    expect(body.paths['/verify'].servers).to.deep.equal([{ url: 'https://verify.latchkey.example' }]);
  });

  itLong('has the path of the public address, whichever host and proxy it is loaded through', async () => {
    await using behind = await startAccountService({
      BASE_URL: 'https://latchkey.example/base',
      TRUSTED_PROXIES: 'loopback',
    });
    const { body } = await behind.send('/openapi.json', {
      headers: { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'http', 'X-Forwarded-Host': 'evil.example' },
    });
    expect(body.servers).to.deep.equal([{ url: '/base' }]);
    expect(JSON.stringify(body)).not.to.include('evil.example');
    for (const path of ['/verify', '/api/auth/me']) expect(body.paths[path]).not.to.have.property('servers');
  });

  itLong('has the address of each API, if the two have different addresses', async () => {
    await using apart = await startAccountService({
      BASE_URL: 'https://api.latchkey.example/base/',
      VERIFY_URL: 'https://verify.latchkey.example',
    });
    const { body, headers } = await apart.send('/openapi.json');
    expect(headers.has('Access-Control-Allow-Origin')).to.equal(true);
    expect(body.servers).to.deep.equal([{ url: '/base' }]);
    for (const path of ['/verify', '/status']) {
      expect(body.paths[path].servers).to.deep.equal([{ url: 'https://verify.latchkey.example' }]);
    }
    expect(body.paths['/api/auth/me']).not.to.have.property('servers');
    const { text } = await apart.send('/docs/reference');
    expect(text)
      .to.include('https://verify.latchkey.example/verify?')
      .and.include('https://api.latchkey.example/base/api/auth/me');
    expect(text).not.to.include('https://api.latchkey.example/base/verify');
  });

  it('cannot have two schemas with one name', () => {
    const schemas = createSchemas();
    const named = (shape: z.core.$ZodLooseShape) => z.object({ thing: z.object(shape).meta({ id: 'Thing' }) });
    schemas.of(named({ one: z.string() }), 'output');
    expect(() => schemas.of(named({ two: z.string() }), 'output')).to.throw('Two schemas are called Thing.');
  });
});

describe('the page at /docs/reference', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());

  /** The addresses of everything that a page loads, as written in its HTML. */
  const loaded = (html: string) =>
    [...html.matchAll(/<(?:link(?! rel="canonical")|script)[^>]* (?:src|href)="([^"]*)"/g)].map(
      ([, address = '']) => address,
    );

  itLong('loads nothing from other servers', async () => {
    const { status, headers, text } = await service.send('/docs/reference');
    expect(status).to.equal(200);
    expect(headers.get('Content-Type')).to.equal('text/html; charset=utf-8');
    expect(text).not.to.match(/<script>|<style|\s(?:on\w+|style)="/);
    const types = await Promise.all(
      loaded(text).map(async (address) => {
        const answer = await service.send(new URL(address, `${service.url}/docs/reference`).pathname);
        return [answer.status, answer.headers.get('Content-Type'), answer.headers.get('Cache-Control')];
      }),
    );
    const lasting = 'public, max-age=31536000, immutable';
    expect(types).to.deep.equal([
      [200, 'image/svg+xml; charset=utf-8', lasting],
      [200, 'font/woff2', lasting],
      [200, 'text/css; charset=utf-8', lasting],
      [200, 'text/javascript; charset=utf-8', 'no-cache'],
    ]);
  });

  itLong('works under any prefix, as all its addresses are relative', async () => {
    const prefixed = loaded((await service.send('/docs/reference')).text).map(
      (address) => new URL(address, 'http://a/b/docs/reference').pathname,
    );
    for (const address of prefixed) expect(address).to.match(/^\/b\/(?:docs\/)?assets\/[a-z0-9.-]+$/);
  });

  itLong('may run only scripts of this server, which cannot write HTML, and may call nothing', async () => {
    const policy = (await service.send('/docs/reference')).headers.get('Content-Security-Policy') ?? '';
    const directives = Object.fromEntries(policy.split('; ').map((directive) => directive.split(/ (.*)/)));
    expect(directives).to.deep.equal({
      'default-src': "'none'",
      'font-src': "'self'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  itLong(
    'shows every call, event, response, schema and header of the document, each with its own address',
    async () => {
      const { text } = await service.send('/docs/reference');
      const { body: document } = await service.send('/openapi.json');
      const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
      expect(new Set(ids).size, 'ids are unique').to.equal(ids.length);
      const { schemas, responses, headers } = document.components;
      const events = Object.values<Json>(document.webhooks).map(({ post }) => post.operationId);
      expect(ids).to.include.members([
        ...operationsOf(document).map(({ id }) => id),
        ...events,
        ...Object.keys(schemas).map((name) => `schema-${name}`),
        ...Object.keys(responses).map((name) => `response-${name}`),
      ]);
      for (const name of Object.keys(headers)) expect(text).to.include(`<code>${name}</code>`);
      for (const [, id] of text.matchAll(/ href="#([^"]+)"/g)) expect(ids).to.include(id);
      const [, activate = ''] = /<details id="activate"(.*?)<\/details>/s.exec(text) ?? [];
      for (const word of ['license_key', 'domain', '/api/license/activate', 'domain_limit_reached', 'LicenseBound']) {
        expect(activate).to.include(word);
      }
    },
  );

  it('prints a default apart from the values that are allowed', async () => {
    const { text } = await service.send('/docs/reference');
    expect(text).to.match(/<p>Default: <code>[^<]+<\/code>\.<\/p>/);
    for (const [, allowed] of text.matchAll(/<p>Allowed: (.*?)<\/p>/gs)) expect(allowed).to.not.match(/default/i);
  });

  it('names the codes of all failures of a call, with links to their descriptions', async () => {
    const { text } = await service.send('/docs/reference');
    const { body: document } = await service.send('/openapi.json');
    for (const [name, { content }] of Object.entries<Json>(document.components.responses)) {
      if (content === undefined) continue; // What the receiver of a webhook returns.
      const codes = Object.keys(content['application/json'].examples).join(', ');
      expect(codes).to.not.equal('');
      expect(text).to.include(`<a href="#response-${name}">${codes}</a>`);
    }
  });

  it('sends an asset again only if it has changed', async () => {
    const etag = (await service.send('/docs/assets/reference.js')).headers.get('ETag') ?? '';
    expect((await service.send('/docs/assets/reference.js', unlessIs(etag))).status).to.equal(304);
  });

  it('serves no other file as an asset', async () => {
    for (const name of ['package.json', 'index.html', '..%2fpackage.json', '%2e%2e/package.json']) {
      expect((await service.send(`/docs/assets/${name}`)).status, name).to.equal(404);
    }
  });
});

describe('a parameter that an address contains twice', () => {
  itLong('gets a sentence that says so, in each call', async () => {
    const service = await startAccountService();
    try {
      const routes = (await service.parts.get(documentedApis)).flatMap((api) => api.routes);
      let parameters = 0;
      for (const route of routes.filter(({ query }) => query !== undefined)) {
        const { properties = {} } = z.toJSONSchema(route.query as z.ZodType, { io: 'input', unrepresentable: 'any' });
        for (const name of Object.keys(properties)) {
          parameters += 1;
          expect(() => check(route, { query: { [name]: ['1', '2'] } }))
            .to.throw(Failure)
            .with.nested.property(`fields.${name}`)
            .that.deep.equals([givenTwice]);
        }
      }
      expect(parameters).to.be.greaterThan(50);
    } finally {
      await service.close();
    }
  });
});

/** The headers of a browser that has the answer in its cache. Without `Cache-Control`, `fetch` would add `no-cache`. */
function unlessIs(etag: string): RequestInit {
  return { headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } };
}
