import { expect } from 'chai';
import fc from 'fast-check';
import { addressLike, anyText } from '../core/texts.ts';
import { by, type Service, startService } from './support.ts';

const id = { 'X-Request-Id': 'the-same' };

/** All that an answer tells, but its date. */
async function told(service: Service, path: string, headers: Record<string, string> = {}) {
  const { status, headers: given, text } = await service.send(path, { headers: { ...id, ...headers } });
  return { status, headers: [...given].filter(([name]) => name !== 'date'), text };
}

/* A path with a slash at its end is no shortcut: the application answers it. */
describe('the shortcut of the license API', () => {
  let service: Service;
  let key: string;
  before(async () => {
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    key = await service.license({ maxDomains: 2 });
    for (const domain of ['a.com', 'münchen.example']) await service.post('/activate', { license_key: key, domain });
  });
  after(() => service.close());

  for (const operation of ['verify', 'status', 'api/license/verify', 'api/license/status']) {
    const same = async (query: string, headers?: Record<string, string>) => {
      const short = await told(service, `/${operation}?${query}`, headers);
      const long = await told(service, `/${operation}/?${query}`, headers);
      // The one before was counted.
      const uncounted = (text: string) => text.replace(/"(?:verification_count|last_verified_at)":[^,}]+/g, '');
      expect({ ...short, text: uncounted(short.text) }).to.deep.equal({ ...long, text: uncounted(long.text) });
      return short.status;
    };

    it(`answers /${operation} as the application does, header by header, whatever the query`, async () => {
      const value = fc.oneof(anyText, addressLike, fc.constantFrom('a.com', 'https://A.com/', 'b.com'));
      const licenseKey = fc.oneof(anyText, fc.constant(key), fc.constant('LIC-0000-0000-0000-0000'));
      const pair = fc.oneof(
        fc.tuple(fc.constant('license_key'), licenseKey),
        fc.tuple(fc.constant('domain'), value),
        fc.tuple(fc.constantFrom('__proto__', 'constructor', 'x', ''), value),
      );
      const encoded = fc.array(pair, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString());
      const raw = fc.stringMatching(/^[ -"$-~]{0,30}$/).map(encodeURI);
      await fc.assert(
        fc.asyncProperty(fc.oneof(encoded, encoded, raw), async (query) => {
          await same(query);
        }),
        { numRuns: 150 },
      );
    });

    it(`answers /${operation} so in each status, to a browser too`, async () => {
      const origin = { Origin: 'https://a.com' };
      expect(await same(`license_key=${key}&domain=a.com`, origin)).to.equal(200);
      expect(await same(`license_key=${key}&domain=m%C3%BCnchen.example`, origin)).to.equal(200);
      expect(await same('license_key=LIC-0000-0000-0000-0000&domain=a.com', origin)).to.equal(404);
      expect(await same('domain=a.com', origin)).to.equal(422);
      const suspended = await service.license();
      await service.issuing.change(suspended, 'suspend', by);
      expect(await same(`license_key=${suspended}&domain=a.com`, origin)).to.equal(200);
    });
  }

  it('counts against the same limit as the application, and tells of it in the same way', async () => {
    const settings = { settings: { RATE_LIMIT_VERIFY: '2' } };
    await using short = await startService(settings);
    await using long = await startService(settings);
    const query = '?license_key=LIC-0000-0000-0000-0000&domain=a.com';
    for (const status of [404, 404, 429, 429]) {
      const answer = await told(short, `/verify${query}`);
      expect(answer).to.deep.equal(await told(long, `/verify/${query}`));
      expect(answer.status).to.equal(status);
    }
    expect((await told(short, `/verify/${query}`)).status).to.equal(429);
  });

  it('leaves other methods to the application', async () => {
    const query = `/verify?license_key=${key}&domain=a.com`;
    const head = await service.send(query, { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    const refused = await service.send(query, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const preflight = await service.send(query, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'GET', Origin: 'https://a.com' },
    });
    expect(preflight.status).to.equal(204);
  });
});
