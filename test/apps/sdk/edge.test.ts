import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { type Service, startService } from '../../adapters/http/license/license-service.ts';
import { itLong } from '../../support/required-service.ts';
import { sdkFolder } from './built-sdk.ts';

/** The globals of the SDK that every edge function has. There is no `process`, `Buffer`, storage or page. */
const {
  AbortController,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
} = globalThis;
const globals = {
  AbortController,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
};

describe('the SDK in an edge function', () => {
  let service: Service;
  before(async () => {
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
  });
  after(() => service.close());

  itLong('loads and checks a license with nothing but the globals of the web', async () => {
    const licenseKey = await service.license();
    await service.post('/activate', { license_key: licenseKey, domain: 'a.com' });
    const options = JSON.stringify({ url: service.url, licenseKey, domain: 'a.com' });
    // A platform without these options of `fetch` throws if it gets them.
    const strict: typeof fetch = (url, init = {}) => {
      expect(init).to.not.include.any.keys('cache', 'credentials', 'mode');
      return fetch(url, init);
    };
    const context = createContext({ ...globals, fetch: strict });
    for (const [file, expression] of [
      ['index.js', `sdk.createLicenseGuard(${options}).check().then(({ state }) => state)`],
      ['webhooks.js', `sdk.verify('', {}, 'whsec_eA==').catch(({ reason }) => reason)`],
      ['account.js', 'typeof sdk.createAccountClient'],
    ] as const) {
      const code = await readFile(`${sdkFolder}${file}`, 'utf8');
      const { code: script } = await transform(code, { format: 'iife', globalName: 'sdk' });
      const found = await runInContext(`${script}; ${expression}`, context);
      expect(found, file).to.be.oneOf(['valid', 'missing_header', 'function']);
    }
  });
});
