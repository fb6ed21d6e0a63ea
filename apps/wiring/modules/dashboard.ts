import { failurePage } from '../../../adapters/http/dashboard/kit/answer.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { dashboardHeaders } from '../../../adapters/http/security-headers.ts';
import type { OwnSurface } from '../../../adapters/http/surface.ts';
import { findSession } from '../../../adapters/http/visitor/frame-of.ts';
import { config } from '../chosen.ts';
import { part } from '../part.ts';
import { accountPages } from './account-pages.ts';
import { operatorPages } from './operator-pages.ts';
import { publicFrame, tools } from './page-tools.ts';
import { sellingPages } from './selling-pages.ts';

/** The pages for people who sign in. */
export const dashboardSurface = part(
  ({ config, tools, frameOf, account, selling, operator }): OwnSurface => ({
    name: 'dashboard',
    // If two paths match a request, the first one answers it.
    endpoints: [account, selling, operator].flat(2),
    headers: dashboardHeaders,
    formsOf: new URL(config.BASE_URL).origin,
    authenticate: (ctx) => findSession(tools, ctx),
    quotaOf: perAddress('dashboard', tools.clientAddress, config.RATE_LIMIT_PAGES),
    renderFailure: failurePage(tools.site, frameOf),
  }),
  { config, tools, frameOf: publicFrame, account: accountPages, selling: sellingPages, operator: operatorPages },
);
