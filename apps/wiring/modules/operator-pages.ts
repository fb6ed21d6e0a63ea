import { launchPages } from '../../../adapters/http/dashboard/launch/launch.tsx';
import { moderationPages } from '../../../adapters/http/dashboard/products/product.tsx';
import { settingPages } from '../../../adapters/http/dashboard/settings/settings.tsx';
import { systemPages } from '../../../adapters/http/dashboard/system/system.tsx';
import { userPages } from '../../../adapters/http/dashboard/users/user.tsx';
import { setting } from '../chosen.ts';
import { listOf, part } from '../part.ts';
import * as people from './accounts.ts';
import { pictures } from './files.ts';
import { mails } from './mail.ts';
import { products, showContents } from './marketplace.ts';
import { pages } from './page-tools.ts';
import { paymentSettings, within } from './payments.ts';
import { orderList } from './purchases.ts';
import { ofProducts } from './selling-pages.ts';
import { siteSettings } from './settings.ts';
import { showLaunch, system } from './system.ts';
import { wallets } from './usdc.ts';

/** The pages for moderators and administrators. */
export const operatorPages = listOf([
  pages(moderationPages, { ...ofProducts, administration: products, contents: showContents }),
  pages(userPages, {
    users: people.userAdministration,
    accounts: people.accounts,
    sessions: people.sessions,
    baseUrl: setting('BASE_URL'),
    invite: part(({ signUp }) => signUp.invite, { signUp: people.signUp }),
  }),
  pages((tools, { launch }) => launchPages(tools, launch), { launch: showLaunch }),
  pages(settingPages, {
    settings: siteSettings,
    wallets,
    pictures,
    stripe: part(
      ({ settings }) =>
        () =>
          settings.provider,
      { settings: paymentSettings },
    ),
    within,
    orders: orderList,
    baseUrl: setting('BASE_URL'),
  }),
  pages(systemPages, { trail: people.auditTrail, mails, system }),
]);
