import { ContainerModule } from 'inversify';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { openApiDocument } from '../../../adapters/http/openapi/document.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { pageHeaders, transportHeaders } from '../../../adapters/http/security-headers.ts';
import { docsEndpoints } from '../../../adapters/http/site/docs-page.ts';
import { siteEndpoints } from '../../../adapters/http/site/endpoints.ts';
import { isUnder, type Surface } from '../../../adapters/http/surface.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';

export const isOfSite = (path: string) =>
  ['/marketplace', '/media', '/files', '/docs', '/openapi.json'].some((prefix) => isUnder(path, prefix));

/** The folder of the guides. The path is the same in the source and in the build. */
const guides = new URL('../../docs/', import.meta.url);

/** Pages, media, files and the documentation. */
export const site = new ContainerModule(({ bind }) => {
  bind(t.siteSurface).toResolvedValue(
    (config, clientAddress, marketplace, addresses, serving, licenseRoutes, accountRoutes): Surface => {
      const { BASE_URL: url, VERIFY_URL: verifyUrl } = config;
      const apis = [
        { routes: licenseRoutes, url: verifyUrl },
        { routes: accountRoutes, url },
      ];
      const origins = [...new Set([url, verifyUrl].map((one) => new URL(one).origin))];
      return {
        name: 'pages',
        owns: isOfSite,
        endpoints: [
          ...siteEndpoints({ marketplace, addresses, ...serving }),
          ...docsEndpoints({ guides, document: () => openApiDocument({ apis, url, version }), origins }),
        ],
        envelope: accountEnvelope,
        headers: { ...transportHeaders(url, config.HSTS_INCLUDE_SUBDOMAINS), ...pageHeaders },
        quotaOf: perAddress('pages', clientAddress, config.RATE_LIMIT_PAGES),
      };
    },
    [t.config, t.clientAddress, t.marketplace, t.addresses, t.fileServing, t.licenseRoutes, t.accountRoutes],
  );
});
