import { ContainerModule } from 'inversify';
import { eventBodies } from '../../../adapters/http/account/webhooks/event-bodies.ts';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { openApiDocument, templated } from '../../../adapters/http/openapi/document.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { pageHeaders, transportHeaders } from '../../../adapters/http/security-headers.ts';
import { docsEndpoints } from '../../../adapters/http/site/docs-page.ts';
import { siteEndpoints } from '../../../adapters/http/site/endpoints.ts';
import { homeEndpoint } from '../../../adapters/http/site/home.ts';
import { marketplaceEndpoint } from '../../../adapters/http/site/marketplace.ts';
import { isUnder, type Surface } from '../../../adapters/http/surface.ts';
import { assetEndpoint } from '../../../adapters/http/ui/assets.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';
import { version } from '../version.ts';
import { isBuyPath } from './buying.ts';

const prefixes = ['/marketplace', '/media', '/files', '/docs', '/openapi.json', '/assets'];
const shared = {
  owns: (path: string) => path === '/' || (prefixes.some((prefix) => isUnder(path, prefix)) && !isBuyPath(path)),
  envelope: accountEnvelope,
};
const surface = token<Surface>('siteSurface');

/** The folder of the guides. The path is the same in the source and in the build. */
const guides = new URL('../../docs/', import.meta.url);
const renamed = { operators: 'operating' };

const module = new ContainerModule(({ bind }) => {
  bind(surface).toResolvedValue(
    (config, clientAddress, frameOf, marketplace, storefront, addresses, serving, apis): Surface => {
      const { BASE_URL: url, SITE_NAME: site } = config;
      const urls = new Map(
        apis.flatMap((api) => api.routes.map(({ paths: [path = ''] }) => [templated(path), api.url])),
      );
      return {
        ...shared,
        name: 'pages',
        endpoints: [
          homeEndpoint({ marketplace, addresses, site, frameOf, version, url, ...serving }),
          assetEndpoint,
          marketplaceEndpoint({ storefront, addresses, frameOf, url, ...serving }),
          ...siteEndpoints({ marketplace, storefront, addresses, frameOf, url, ...serving }),
          ...docsEndpoints({
            guides,
            renamed,
            document: () => openApiDocument({ apis, webhooks: eventBodies, url, version }),
            urlOf: (path) => urls.get(path) ?? url,
            frameOf,
          }),
        ],
        headers: { ...transportHeaders(url, config.HSTS_INCLUDE_SUBDOMAINS), ...pageHeaders },
        quotaOf: perAddress('pages', clientAddress, config.RATE_LIMIT_PAGES),
      };
    },
    [
      t.config,
      t.clientAddress,
      t.publicFrame,
      t.marketplace,
      t.storefront,
      t.addresses,
      t.fileServing,
      t.documentedApis,
    ],
  );
});

/** Pages, media, files and the documentation. */
export const site: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account'],
  usesFiles: true,
  url: 'BASE_URL',
};
