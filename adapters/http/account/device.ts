import { z } from 'zod';
import { type ApiKey, keyModes } from '../../../core/accounts/api-key.ts';
import { longestKeyName } from '../../../core/accounts/api-key-terms.ts';
import type { DeviceLogins, StartedDevice } from '../../../core/accounts/device-logins.ts';
import { scopeNames } from '../../../core/accounts/scope.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { ClientAddress } from '../client-address.ts';
import { tooOften } from '../failures.ts';
import { text, trimmed } from '../fields.ts';
import { openRoute, type Route, rendered, type Tag } from '../route.ts';
import { keyBody, renderKey } from './api-keys.ts';

const tag: Tag = {
  name: 'Sign-in of programs',
  description:
    'A program without a browser gets an API key, as in RFC 8628: it shows a code, and a person types the code into a page of this site. Bodies are JSON, and errors have the form of this API.',
};

const started = z
  .object({
    device_code: z.string().meta({ description: 'For the token call. Keep it secret.', example: 'f'.repeat(64) }),
    user_code: z.string().meta({ description: 'Show it to the person.', example: 'WDJB-MJHT' }),
    verification_uri: z.url().meta({ example: 'https://shop.example.com/device' }),
    verification_uri_complete: z.url().meta({
      description: 'The same page with the code filled in. The person must still compare it.',
      example: 'https://shop.example.com/device?code=WDJB-MJHT',
    }),
    expires_in: z.int().meta({ description: 'The seconds in which the person must answer.', example: 600 }),
    interval: z.int().meta({ description: 'The seconds to wait between two token calls.', example: 5 }),
  })
  .meta({ id: 'AccountDeviceCode' });

/** Programs that ask for an API key. `page` is the address of the page where people type codes. */
export function deviceRoutes(devices: DeviceLogins, page: string, clientAddress: ClientAddress): Route[] {
  return [
    openRoute({
      id: 'start-device-login',
      tag,
      summary: 'Asks for an API key',
      description: 'Returns two codes: one for the program, and one that the person types into the page.',
      method: 'post',
      paths: ['/api/device/code'],
      body: z
        .object({
          client_name: trimmed(longestKeyName).meta({
            description: 'What the program is and where it runs. The person sees it.',
            example: 'latchkey on build-1',
          }),
          mode: z.enum(keyModes).default('live'),
          scopes: z
            .array(z.enum(scopeNames))
            .min(1)
            .nullable()
            .default(null)
            .meta({ description: 'Null for all scopes.', example: ['licenses:read'] }),
        })
        .meta({ id: 'AccountDeviceCodeRequest' }),
      answer: started,
      refusals: [],
      async handle({ body: { client_name: clientName, mode, scopes }, request }) {
        const made = await devices.start({ clientName, mode, scopes }, clientAddress(request));
        if (!isRefused(made)) return renderStarted(made, page);
        throw tooOften(made);
      },
    }),
    openRoute({
      id: 'finish-device-login',
      tag,
      summary: 'Returns the API key, once the person has approved',
      description:
        'Call it again after the interval while the answer is AUTHORIZATION_PENDING. After SLOW_DOWN, use the longer interval in the answer. The key is returned once, and works for 90 days.',
      method: 'post',
      paths: ['/api/device/token'],
      body: z
        .object({ device_code: text(200).meta({ example: 'f'.repeat(64) }) })
        .meta({ id: 'AccountDeviceTokenRequest' }),
      answer: z.object({
        api_key: z.string().meta({
          description: 'The key itself. It is not returned again.',
          example: `lk_sk_live_${'4f1a'.repeat(8)}`,
        }),
        key: keyBody,
      }),
      refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
      handle: ({ body: { device_code: code } }) => rendered(devices.poll(code), renderMade),
    }),
  ];
}

function renderStarted(
  { deviceCode, userCode, life, interval }: StartedDevice,
  page: string,
): z.output<typeof started> {
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: life / 1000,
    interval,
  };
}

function renderMade({ key, secret }: { readonly key: ApiKey; readonly secret: string }) {
  return { api_key: secret, key: renderKey(key) };
}
