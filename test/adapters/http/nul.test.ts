import { expect } from 'chai';
import { type OpenService, openService } from '../../../apps/server/open-service.ts';
import { compose } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { ProductId } from '../../../core/id.ts';
import { isRefused } from '../../../core/refusal.ts';
import { addBundle } from '../../support/bundles.ts';
import { operator } from '../../support/by.ts';
import { type Json, operationsOf } from '../../support/conformance.ts';
import { exampleClaim, prepareClaim } from '../../support/example-claim.ts';
import { exampleCoupon, prepareCoupon } from '../../support/example-coupon.ts';
import { exampleAlias, exampleKey, prepareLicense } from '../../support/example-license.ts';
import { deletableVersion, exampleOffer, isAboutProduct, prepareProduct } from '../../support/example-product.ts';
import { formOf, listingForm } from '../../support/forms.ts';
import { good } from '../../support/good.ts';
import { payable, placeOrder, placeSubscription } from '../../support/placed-orders.ts';
import { itLong, needing, runsLong, skipLong } from '../../support/required-service.ts';
import { pngOf, zipOf } from '../../support/samples.ts';
import { sqlKinds } from '../../support/sql-databases.ts';

/** A text that the client chooses. The rest of the request is correct. */
interface Place {
  readonly where: 'path' | 'query' | 'body' | 'form';
  readonly name: string;
}

const files = { product_zip: await zipOf(), thumbnail: pngOf(), file: pngOf() };

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`a NUL character in a text, on ${name}`, () => {
    let service: OpenService;
    let url: string;
    let database: Awaited<ReturnType<typeof make>>;
    let key: string;
    let spareKey: string;
    let license: string;
    let document: Json;
    let bundleSlug: string;
    /** What a bundle of Ada can contain. */
    let contents: Json[];

    before(async () => {
      database = await make();
      const settings = { ...payable, LOG_LEVEL: 'silent', RATE_LIMIT_URL: 'off:', PORT: '0', FILES_URL: 'temporary:' };
      service = await openService(readConfig({ ...settings, DATABASE_URL: database.url }), compose, 'localhost');
      url = `http://localhost:${service.port}`;
      const [accounts, templates, users, issuing] = [
        await service.parts.get(t.accounts),
        await service.parts.get(t.templateAdministration),
        await service.parts.get(t.userAdministration),
        await service.parts.get(t.issuing),
      ];
      const ada = good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'pro' }, operator));
      // Administrators may use every operation.
      good(await users.setRole('ada@example.com', 'admin', operator));
      const made = await accounts.createKey(
        'ada@example.com',
        { name: 'test', mode: 'live', scopes: null, expiresAt: null },
        operator,
      );
      if (isRefused(made)) throw new Error(made.reason);
      key = made.secret;
      // The key of all calls ends after the overlap, and on a busy machine they take minutes. Its successor is revoked.
      const rotated = await accounts.rotateKey(made.key.prefix, 3_600, operator);
      if (isRefused(rotated)) throw new Error(rotated.reason);
      spareKey = String(rotated.key.id);
      const kept = { title: 'A', description: 'A', tags: [], parameters: [], zip: 'templates/a.zip' };
      await templates.add({ ...kept, slug: 'simple-dex', category: 'defi-dex', tier: 'free' }, operator);
      const published = await fetch(`${url}/api/marketplace/publish`, {
        method: 'POST',
        headers: { 'X-API-Key': key },
        body: listingForm({ title: 'Simple DEX' }),
      });
      const { product } = (await published.json()) as Json;
      const productId: ProductId = product.id;
      good(await (await service.parts.get(t.products)).change('simple-dex', 'approve', operator));
      [license = ''] = good(await issuing.issue({ productId, maxDomains: 1, expiresAt: null }, 1, operator));
      good(await issuing.issueAs(exampleKey, { productId, maxDomains: 9, expiresAt: null }, operator));
      const products = await service.parts.get(t.productStore);
      const { bundle, inside } = await addBundle({ products }, [1_000, 2_000], { ownerId: ada.id });
      bundleSlug = bundle.slug;
      contents = inside.map(({ id }) => ({ product: id, offer: null }));
      document = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
    });
    after(async () => {
      await service?.close(0);
      await database?.remove();
    });

    type Operation = ReturnType<typeof operationsOf>[number];

    const schemaOf = ({ requestBody }: Operation, type: string): Json => {
      const schema: Json = requestBody?.content[type]?.schema ?? {};
      const [, reference] = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '') ?? [];
      return reference ? document.components.schemas[reference] : schema;
    };
    const isText = (schema: Json) => /"type":"string"/.test(JSON.stringify(schema)) && schema.format !== 'binary';
    const textsOf = (schema: Json) =>
      Object.keys(schema.properties ?? {}).filter((one) => isText(schema.properties[one]));

    /** Returns all texts that the operation declares. */
    function placesOf(operation: Operation): Place[] {
      return [
        ...operation.parameters
          .filter((one) => one.in !== 'header' && isText(one.schema))
          .map((one): Place => ({ where: one.in, name: one.name })),
        ...textsOf(schemaOf(operation, 'application/json')).map((name): Place => ({ where: 'body', name })),
        ...textsOf(schemaOf(operation, 'multipart/form-data')).map((name): Place => ({ where: 'form', name })),
      ];
    }

    const idOf = ({ id, path }: Operation, parameter: string) =>
      isAboutOrder(path)
        ? orderId
        : path.startsWith('/api/coupons/')
          ? String(exampleCoupon)
          : path.startsWith('/api/payment-claims/')
            ? String(exampleClaim)
            : path.endsWith('/bundle')
              ? bundleSlug
              : id === 'revokeKey'
                ? spareKey
                : parameter === 'key'
                  ? exampleKey
                  : parameter === 'domain'
                    ? 'app.example.com'
                    : parameter === 'alias'
                      ? String(exampleAlias)
                      : parameter === 'version'
                        ? deletableVersion
                        : parameter === 'offer'
                          ? exampleOffer.slug
                          : 'simple-dex';

    const isAboutOrder = (path: string) => /^\/api\/(?:orders|subscriptions)\//.test(path);
    let orderId = '';

    /** Sends the example of the document with one changed text. */
    async function send(operation: Operation, change?: Place & { readonly by: (text: string) => string }) {
      if (operation.path.startsWith('/api/subscriptions/')) {
        orderId = String((await placeSubscription(service.parts, null)).id);
      } else if (operation.path.startsWith('/api/payment-claims')) {
        const order = await placeOrder(service.parts, 'simple-dex', { way: 'manual', isPaid: false });
        await prepareClaim(service.parts, order.id);
      } else if (isAboutOrder(operation.path)) {
        const isPaid = operation.path.includes('/refund');
        const order = await placeOrder(service.parts, 'simple-dex', { way: 'manual', isPaid });
        orderId = String(order.id);
        if (operation.path.endsWith('/undo')) await prepareClaim(service.parts, order.id);
      }
      const isAboutBundle = /\/bundles?$/.test(operation.path);
      const value = (where: Place['where'], name: string, example: unknown) => {
        const good = name === 'license_key' ? license : isAboutBundle && name === 'products' ? contents : example;
        return change?.where === where && change.name === name ? change.by(String(good)) : good;
      };
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(String(value('path', name, idOf(operation, name)))),
      );
      // These stand for others that the request has too.
      const isSent = (name: string) => !['cursor', 'map'].includes(name) || change?.name === name;
      const query = new URLSearchParams(
        operation.parameters
          .filter((one) => one.in === 'query' && isSent(one.name))
          .map((one): [string, string] => [one.name, String(value('query', one.name, one.example))]),
      );
      const example: Json | undefined = operation.requestBody?.content['application/json']?.example;
      const json =
        example &&
        Object.fromEntries(
          Object.entries({ ...(change?.where === 'body' && { [change.name]: 'abc' }), ...example }).map(
            ([name, good]) => [name, value('body', name, good)],
          ),
        );
      const { properties } = schemaOf(operation, 'multipart/form-data');
      const form =
        properties &&
        Object.fromEntries(
          Object.entries<Json>(properties)
            .filter(([name]) => isSent(name))
            .map(([name, { examples, format }]) => [
              name,
              format === 'binary' ? files[name as keyof typeof files] : String(value('form', name, examples?.[0])),
            ]),
        );
      const csv = operation.requestBody?.content['text/csv'] && 'product\r\nsimple-dex\r\n';
      const stored = await service.parts.get(t.database);
      if (operation.path.includes('{key}')) await prepareLicense(stored, exampleKey, operation.path);
      if (isAboutProduct(operation.path) || ['/api/licenses', '/api/coupons'].includes(operation.path))
        await prepareProduct(stored, 'simple-dex', operation.path);
      if (operation.path.startsWith('/api/coupons')) await prepareCoupon(stored, null);
      const response = await fetch(`${url}${path}?${query}`, {
        method: operation.method,
        headers: {
          ...(operation.needsKey && { 'X-API-Key': key }),
          ...(json && { 'Content-Type': 'application/json' }),
          ...(csv && { 'Content-Type': 'text/csv' }),
        },
        ...(json && { body: JSON.stringify(json) }),
        ...(csv && { body: csv }),
        ...(form && { body: formOf(form) }),
      });
      return { status: response.status, text: await response.text() };
    }

    itLong(
      'gives 404 in every path or license key, and 422 in every other query, body and form, at any position',
      async () => {
        let places = 0;
        // In this order, a domain is activated, verified and deactivated.
        const operations = operationsOf(document).sort((one, other) => one.path.localeCompare(other.path));
        for (const operation of operations) {
          for (const place of placesOf(operation)) {
            for (const by of positions) {
              const { status, text } = await send(operation, { ...place, by });
              const at = `${operation.method} ${operation.path}, ${place.where} ${place.name}: ${text}`;
              expect(status, at).to.equal(place.where === 'path' || place.name === 'license_key' ? 404 : 422);
              if (status === 422) expect(text, at).to.include(`"${place.name}":[`);
              places++;
            }
          }
          // Without the NUL, the same request succeeds. There is no webhook, no program that waits, no import to ask about, no code of a release, and no test license with a clock.
          const call = `${operation.method.toLowerCase()} ${operation.path}`;
          if (!/verify|deactivate|webhooks\/\{|device\/token|get .*licenses\/import|delete .*codes|clock/.test(call))
            expect((await send(operation)).status, call).to.equal(200);
        }
        expect(places).to.be.greaterThan(20 * positions.length);
      },
    );

    it('gives 422 if it is an escape in a JSON text of a form', async () => {
      const publish = operationsOf(document).find(({ id }) => id === 'publish');
      if (publish === undefined) throw new Error('There is no operation publish.');
      for (const name of ['tags', 'blockchains']) {
        const { status } = await send(publish, { where: 'form', name, by: () => JSON.stringify(['a', 'b\0c']) });
        expect(status, name).to.equal(422);
      }
    });

    it('gives 404 in the address of a page or file', async () => {
      const paths = ['/marketplace/%00', '/marketplace/a%00b', '/marketplace/a?preview=%00', '/media/%00.png', '/%00'];
      const more = [
        '/media/a%00.png',
        '/files/templates/a%00.zip?filename=a&expires=1&signature=a',
        '/docs/%00',
        '/api/%00',
      ];
      for (const path of [...paths, ...more]) expect((await fetch(url + path)).status, path).to.equal(404);
    });
  });
}

const atStart = (text: string) => `\0${text}`;
const atEnd = (text: string) => `${text}\0`;
/** Only one of them without TEST_LONG. */
const positions = [withNulInMiddle, ...(runsLong ? [atStart, atEnd] : [])];

function withNulInMiddle(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}\0${text.slice(middle)}`;
}
