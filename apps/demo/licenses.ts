import { addSampleLicenses, type SampleKeys } from '../samples/licenses.ts';
import { done, operator } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Client, json, type Try } from './try.ts';

export const title = 'Uniswap-style DEX template';

/** Adds a license in each status. */
export async function addLicenses(parts: Parts): Promise<SampleKeys> {
  const { id } = done(await (await parts.get(t.products)).add({ title, ownerId: null }, operator));
  const ports = {
    store: await parts.get(t.licenseStore),
    licensing: await parts.get(t.licensing),
    secrets: await parts.get(t.secrets),
    clock: await parts.get(t.clock),
  };
  return await addSampleLicenses(ports, id, operator.by);
}

/** A tour of the license API. */
export function licenseTries({ curl, get }: Client, keys: SampleKeys): Try[] {
  const post = (operation: string, body: Record<string, string>) =>
    curl(`/${operation}`, `${json} -d '${JSON.stringify(body)}'`);
  const on = (license_key: string, domain: string) => ({ license_key, domain });
  const { active, unused, suspended, revoked, expired } = keys;
  return [
    [
      'activate: accepts a domain in any spelling',
      '200 success',
      post('activate', on(unused, 'https://Shop.Example.com/')),
    ],
    ['verify', '200 valid', get('/verify', on(unused, 'shop.example.com'))],
    ['status: shows all of a license', '200 success', get('/status', { license_key: unused })],
    ['deactivate: frees the domain again', '200 success', post('deactivate', on(unused, 'shop.example.com'))],
    [
      'a license that nobody issued',
      '404 invalid_key',
      get('/verify', on('LIC-0000-0000-0000-0000', 'app.example.com')),
    ],
    ['a domain that is not activated', '200 invalid_domain', get('/verify', on(active, 'other.example.com'))],
    ['a suspended license', '200 suspended', get('/verify', on(suspended, 'app.example.com'))],
    ['a revoked license', '200 revoked', get('/verify', on(revoked, 'app.example.com'))],
    ['an expired license', '200 expired', get('/verify', on(expired, 'app.example.com'))],
    [
      'a license without the part that is asked for',
      '200 not_entitled',
      get('/verify', { ...on(active, 'app.example.com'), entitlement: 'export' }),
    ],
    ['activate a suspended license', '422 suspended', post('activate', on(suspended, 'app.example.com'))],
    ['activate a revoked license', '422 revoked', post('activate', on(revoked, 'app.example.com'))],
    ['activate an expired license', '422 expired', post('activate', on(expired, 'app.example.com'))],
    [
      'a second domain if only one is allowed',
      '422 domain_limit_reached',
      post('activate', on(active, 'other.example.com')),
    ],
    [
      'deactivate a domain that is not activated',
      '422 domain_not_found',
      post('deactivate', on(active, 'other.example.com')),
    ],
    ['a parameter is missing', '422 validation_error', get('/verify', { license_key: active })],
    ['a body that is not JSON', '400 bad_request', curl('/activate', `${json} -d '{"license_key":'`)],
    ['a body of another type', '415 unsupported_media_type', curl('/activate', ` -d 'license_key=${active}'`)],
    [
      'a body that is too long',
      '413 payload_too_large',
      curl('/activate', `${json} -d "$(head -c 70000 /dev/zero | tr '\\0' x)"`),
    ],
    ['the wrong method', '405 method_not_allowed', get('/activate', on(active, 'app.example.com'))],
    ['an unknown path', '404 not_found', curl('/nothing')],
    [
      'more than 60 calls of status a minute',
      '429 rate_limit_exceeded',
      `${get('/status', { license_key: active, n: 'N' }).replace('n=N', 'n=[1-121]')} | grep -m 1 rate_limit`,
    ],
  ];
}
