import { eventBodies } from '../../../adapters/http/account/webhooks/event-bodies.ts';
import { withEncodings } from '../../../adapters/http/encodings.ts';
import { type Documented, openApiDocumentInSteps, templated } from '../../../adapters/http/openapi/document.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { pageHeaders } from '../../../adapters/http/security-headers.ts';
import { createDocs } from '../../../adapters/http/site/docs-page.ts';
import { embedEndpoints } from '../../../adapters/http/site/embed.tsx';
import { downloadEndpoints, productPageEndpoint } from '../../../adapters/http/site/endpoints.ts';
import { homeEndpoint } from '../../../adapters/http/site/home.tsx';
import { keptForVisitors } from '../../../adapters/http/site/kept-pages.ts';
import { logoEndpoint } from '../../../adapters/http/site/logo.ts';
import { marketplaceEndpoint } from '../../../adapters/http/site/marketplace.tsx';
import { sellerEndpoint } from '../../../adapters/http/site/seller-page.tsx';
import { shareEndpoints } from '../../../adapters/http/site/share-picture.ts';
import { sitemapEndpoints } from '../../../adapters/http/site/sitemap.ts';
import { textEndpoints } from '../../../adapters/http/site/text-page.tsx';
import type { Endpoint, OwnSurface } from '../../../adapters/http/surface.ts';
import { assetEndpoint } from '../../../adapters/http/ui/assets.ts';
import { config, fileServing } from '../chosen.ts';
import { pageMemory } from '../page-memory.ts';
import { part } from '../part.ts';
import { version } from '../version.ts';
import { accountRoutes } from './account-api.ts';
import { addresses, clientAddress } from './addresses.ts';
import { pictures } from './files.ts';
import { licenseRoutes } from './license-api.ts';
import { sendsMail } from './mail.ts';
import { findContents, marketplace, ratings, sellerPages, storefront } from './marketplace.ts';
import { cookies, publicFrame } from './page-tools.ts';
import { checkout } from './purchases.ts';
import { listedMarket } from './remembered.ts';
import { currentSettings, nowSet, siteLook } from './settings.ts';
import { storefrontRoutes } from './storefront.ts';

/** The folder of the guides. The path is the same in the source and in the build. */
const guides = new URL('../../docs/', import.meta.url);
const renamed = { operators: 'operating' };

/** The APIs in the OpenAPI document. */
export const documentedApis = part(
  ({ config: { BASE_URL: url, VERIFY_URL }, license, account, storefront }): Documented['apis'] => [
    { url: VERIFY_URL, routes: license },
    { url, routes: account },
    { url, routes: storefront },
  ],
  { config, license: licenseRoutes, account: accountRoutes, storefront: storefrontRoutes },
);

/** Pages, media, files and the documentation. */
export const siteSurface = part(
  ({
    config,
    look,
    current,
    memory,
    cookies,
    clientAddress,
    frameOf,
    marketplace,
    storefront,
    checkout,
    contentsOf,
    ratings,
    listed,
    sellers,
    sendsMail,
    sellingPolicy,
    addresses,
    pictures,
    serving,
    apis,
  }): OwnSurface => {
    const { BASE_URL: url } = config;
    const urls = new Map(apis.flatMap((api) => api.routes.map(({ paths: [path = ''] }) => [templated(path), api.url])));
    const kept = (endpoints: readonly Endpoint[]) =>
      keptForVisitors(endpoints, { memory, cookies, settings: current.get });
    const docs = createDocs({
      guides,
      renamed,
      document: () => openApiDocumentInSteps({ apis, webhooks: eventBodies, url, version }),
      urlOf: (path) => urls.get(path) ?? url,
      url,
      frameOf,
    });
    return {
      name: 'pages',
      endpoints: [
        ...withEncodings([
          ...kept([
            homeEndpoint({
              storefront,
              ratings,
              sellingPolicy,
              addresses,
              site: look,
              frameOf,
              version,
              url,
              ...serving,
            }),
            marketplaceEndpoint({ storefront, ratings, listed, addresses, frameOf, url, ...serving }),
            productPageEndpoint({
              marketplace,
              storefront,
              checkout,
              contentsOf,
              ratings,
              sellers,
              sendsMail,
              addresses,
              frameOf,
              url,
              ...serving,
            }),
            sellerEndpoint({ sellers, ratings, addresses, frameOf, url, ...serving }),
          ]),
          ...downloadEndpoints({ frameOf, pictures, clientAddress, ...serving }),
          assetEndpoint,
          ...embedEndpoints({ marketplace, checkout, addresses, pictures, clientAddress, site: look }),
          ...shareEndpoints({ marketplace, sellers, addresses, pictures, clientAddress, site: look }),
          ...textEndpoints({ read: (text) => current.get()[text], frameOf, url }),
          logoEndpoint(() => current.get().logo),
          ...sitemapEndpoints({ storefront, sellers, texts: () => look().look?.texts ?? [], url }),
        ]),
        ...docs,
      ],
      headers: pageHeaders,
      quotaOf: perAddress('pages', clientAddress, config.RATE_LIMIT_PAGES),
    };
  },
  {
    config,
    look: siteLook,
    current: currentSettings,
    memory: pageMemory,
    cookies,
    clientAddress,
    frameOf: publicFrame,
    marketplace,
    storefront,
    checkout,
    contentsOf: findContents,
    ratings,
    listed: listedMarket,
    sellers: sellerPages,
    sendsMail,
    sellingPolicy: nowSet('selling'),
    addresses,
    pictures,
    serving: fileServing,
    apis: documentedApis,
  },
);
