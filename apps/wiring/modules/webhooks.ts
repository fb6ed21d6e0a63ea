import { createCheckWebhookUrl } from '../../../adapters/webhooks/check-url.ts';
import { createWebhooks } from '../../../core/selling/webhooks.ts';
import { clock, config, longWork, secrets } from '../chosen.ts';
import { part } from '../part.ts';
import { version } from '../version.ts';
import { secretBox } from './secrets.ts';
import { productStore, webhookStore } from './sql.ts';

const permitted = part(
  ({ config }) => ({
    allowHttp: config.WEBHOOK_ALLOW_HTTP,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ...(config.SANDBOX && {
      whyNone:
        'A sandbox sends nothing to addresses. Fetch the events instead, with the command latchkey webhooks listen.',
    }),
  }),
  { config },
);
export const checkWebhookUrl = part(({ permitted }) => createCheckWebhookUrl(permitted), { permitted });
export const sendWebhook = part(
  // Loaded here, because undici is large and most commands send nothing.
  async ({ permitted, clock }) => {
    const { createSendWebhook } = await import('../../../adapters/webhooks/send.ts');
    return createSendWebhook({ ...permitted, version, clock });
  },
  { permitted, clock },
);

export const webhooks = part(createWebhooks, {
  store: webhookStore,
  products: productStore,
  checkUrl: checkWebhookUrl,
  box: secretBox,
  secrets,
  clock,
  longWork,
});
