import { networks, trueOrFalse } from './setting-schemas.ts';

/** The settings about webhooks. */
export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: {
    fallback: 'false',
    meaning: '`true`: webhooks may be sent to `http:` addresses too, without TLS',
    schema: trueOrFalse,
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    fallback: '',
    meaning:
      'Networks of your own that webhooks may be sent to, besides all public addresses: addresses and ranges (`10.1.0.0/16`), separated by commas',
    schema: networks,
  },
} as const;
