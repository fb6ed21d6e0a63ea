import { ContainerModule } from 'inversify';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import { createCheckWebhookUrl } from '../../../adapters/webhooks/check-url.ts';
import type { Config } from '../config.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

/** Sending events to the endpoints of sellers. */
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
});

function permittedBy({ WEBHOOK_ALLOW_HTTP: allowHttp, WEBHOOK_ALLOWED_NETWORKS: allowedNetworks }: Config) {
  return { allowHttp, allowedNetworks };
}
