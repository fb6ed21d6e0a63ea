import { fileURLToPath } from 'node:url';

/** The folder of the built package. */
export const sdkFolder = fileURLToPath(new URL('../../../apps/sdk/dist/', import.meta.url));

/** Returns the guard as it is published. */
export function builtSdk(): Promise<typeof import('../../../apps/sdk/index.ts')> {
  return import(`${sdkFolder}index.js`);
}

/** Returns the check of webhooks as it is published. */
export function builtWebhooks(): Promise<typeof import('../../../apps/sdk/webhooks.ts')> {
  return import(`${sdkFolder}webhooks.js`);
}
