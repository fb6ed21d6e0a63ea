import { ContainerModule } from 'inversify';
import { createOnce } from '../../../adapters/http/dashboard/once.ts';
import { webhookPages } from '../../../adapters/http/dashboard/selling/webhooks/webhook-pages.ts';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import { createCheckWebhookUrl } from '../../../adapters/webhooks/check-url.ts';
import { createWebhooks } from '../../../core/selling/webhooks.ts';
import type { Config } from '../config.ts';
import { dispatcherFor } from '../dispatch.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

/** The endpoints of sellers, and sending events to them. */
export const webhooks = new ContainerModule(({ bind }) => {
  bind(t.secretBox).toResolvedValue(
    ({ text }, { SECRET_KEY_FORMER: former }) => createSecretBox(text, former),
    [t.signingSecret, t.config],
  );
  bind(t.checkWebhookUrl).toResolvedValue((config) => createCheckWebhookUrl(permittedBy(config)), [t.config]);
  bind(t.sendWebhook).toResolvedValue(
    // Loaded here, because undici is large and most commands send nothing.
    async (config, clock) => {
      const { createSendWebhook } = await import('../../../adapters/webhooks/send.ts');
      return createSendWebhook({ ...permittedBy(config), version, clock });
    },
    [t.config, t.clock],
  );
  bind(t.webhooks).toResolvedValue(
    (store, products, checkUrl, box, secrets, clock) =>
      createWebhooks({ store, products, checkUrl, box, secrets, clock }),
    [t.webhookStore, t.productStore, t.checkWebhookUrl, t.secretBox, t.secrets, t.clock],
  );
  bind(t.sellingWebhookPages).toResolvedValue(
    (tools, webhooks, products, store, clock) =>
      webhookPages(tools, { webhooks, products, once: createOnce(store, clock) }),
    [t.dashboardTools, t.webhooks, t.sellerProducts, t.idempotencyStore, t.clock],
  );
  bind(t.createDispatcher).toResolvedValue(dispatcherFor, [
    t.webhookQueue,
    t.sendWebhook,
    t.secretBox,
    t.accountStore,
    t.writeLetter,
    t.clock,
    t.log,
    t.instruments,
  ]);
});

function permittedBy({ WEBHOOK_ALLOW_HTTP: allowHttp, WEBHOOK_ALLOWED_NETWORKS: allowedNetworks }: Config) {
  return { allowHttp, allowedNetworks };
}
