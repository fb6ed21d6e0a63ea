import { expect } from 'chai';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { signed } from '../../../adapters/webhooks/signatures.ts';
import { mintWebhookSecret } from '../../../core/webhooks/secret.ts';
import { builtWebhooks } from './built-sdk.ts';

const secret = mintWebhookSecret(systemSecrets);
const other = mintWebhookSecret(systemSecrets);
const event = {
  id: 'evt_1',
  event: 'license.revoked',
  timestamp: '2026-01-01T00:00:00.000Z',
  livemode: true,
  data: {},
};
const body = `${JSON.stringify(event).slice(0, -1)},"name":"Κέικ 🍰"}`;
const now = Date.UTC(2026, 0, 1);
const headers = signed({ id: 'evt_1', at: now, secrets: [secret], body });
const forms = ['standard', 'service'] as const;

describe('verify() of latchkey-sdk/webhooks', () => {
  let verify: Awaited<ReturnType<typeof builtWebhooks>>['verify'];
  before(async () => {
    ({ verify } = await builtWebhooks());
  });

  async function refusal(act: Promise<unknown>): Promise<unknown> {
    return act.then(
      () => 'accepted',
      (fault) => (fault.name === 'WebhookRefused' ? fault.reason : fault),
    );
  }

  for (const form of forms) {
    it(`returns what the server signed, as text and as bytes, by the form “${form}”`, async () => {
      const bytes = new TextEncoder().encode(body);
      for (const sent of [body, bytes, bytes.buffer, Buffer.from(body)]) {
        const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
        for (const given of [headers, new Headers(headers), upper]) {
          expect(await verify(sent, given, secret, { form, now })).to.deep.equal(JSON.parse(body));
        }
      }
    });

    it(`refuses another body, another secret and missing headers, by the form “${form}”`, async () => {
      expect(await refusal(verify(`${body} `, headers, secret, { form, now }))).to.equal('wrong_signature');
      expect(await refusal(verify(body, headers, other, { form, now }))).to.equal('wrong_signature');
      expect(await refusal(verify(body, headers, [], { form, now }))).to.equal('wrong_signature');
      expect(await refusal(verify(body, {}, secret, { form, now }))).to.equal('missing_header');
      expect(await refusal(verify(body, new Headers(), secret, { form, now }))).to.equal('missing_header');
    });

    it(`accepts either secret while one is changed, by the form “${form}”`, async () => {
      const changed = signed({ id: 'evt_1', at: now, secrets: [other, secret], body });
      expect(await verify(body, changed, [secret, other], { form, now })).to.include({ id: 'evt_1' });
      if (form === 'standard') expect(await verify(body, changed, secret, { now })).to.include({ id: 'evt_1' });
    });

    it(`refuses signatures that are none, by the form “${form}”`, async () => {
      for (const wrong of ['', 'v1,', 'v1', 'v1,%', 'v2,x', 'sha256=', 'sha256', 'sha1=00', 'sha256=zz', '=', ' ']) {
        const given = { ...headers, 'webhook-signature': wrong, 'x-service-signature': wrong };
        expect(await refusal(verify(body, given, secret, { form, now })), wrong).to.match(
          /^(wrong_signature|missing_header)$/,
        );
      }
    });

    it(`refuses a signed body that is no event, by the form “${form}”`, async () => {
      for (const text of ['', 'null', '[]', '{', '"event"']) {
        const given = signed({ id: 'evt_1', at: now, secrets: [secret], body: text });
        expect(await refusal(verify(text, given, secret, { form, now })), text).to.equal('bad_body');
      }
    });
  }

  it('refuses a request that is more than 5 minutes old or early, or has another time than the signed one', async () => {
    for (const [seconds, expected] of [
      [0, 'accepted'],
      [300, 'accepted'],
      [-300, 'accepted'],
      [301, 'wrong_time'],
      [-301, 'wrong_time'],
    ] as const) {
      expect(await refusal(verify(body, headers, secret, { now: now + seconds * 1000 }))).to.equal(expected);
    }
    expect(await refusal(verify(body, headers, secret))).to.equal('wrong_time');
    expect(await refusal(verify(body, headers, secret, { now: now + 301_000, tolerance: 600 }))).to.equal('accepted');
    for (const time of ['x', '1e9', '-1', ' ', String(now / 1000 + 1)]) {
      const given = { ...headers, 'webhook-timestamp': time };
      expect(await refusal(verify(body, given, secret, { now })), time).to.match(/^wrong_(time|signature)$/);
    }
  });

  it('throws a TypeError for what is no secret', async () => {
    for (const wrong of ['', 'secret', 'whsec_', 'whsec_*']) {
      expect(await refusal(verify(body, headers, wrong, { now })), wrong).to.be.instanceOf(TypeError);
    }
  });
});
