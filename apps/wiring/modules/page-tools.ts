import { createHomeOf } from '../../../adapters/http/dashboard/home.ts';
import { createOnce } from '../../../adapters/http/dashboard/kit/once.ts';
import type { DashboardTools } from '../../../adapters/http/dashboard/kit/page.ts';
import { createNotFound } from '../../../adapters/http/site/not-found.ts';
import type { Endpoint } from '../../../adapters/http/surface.ts';
import { createCookies } from '../../../adapters/http/visitor/cookies.ts';
import { publicFrame as frameOfPublicPages } from '../../../adapters/http/visitor/frame-of.ts';
import { needingSeller } from '../../../core/marketplace/selling-policy.ts';
import { clock, fileServing, setting } from '../chosen.ts';
import { type Needs, type Part, part, together } from '../part.ts';
import { accountTools, uploadLimits } from './account-api.ts';
import * as people from './accounts.ts';
import { clientAddress } from './addresses.ts';
import { notifications, sendsMail } from './mail.ts';
import { reviewers } from './marketplace.ts';
import { orderList } from './purchases.ts';
import { ordersToDo } from './remembered.ts';
import { secretBox } from './secrets.ts';
import { nowSet, siteLook } from './settings.ts';
import { idempotencyStore, productStore } from './sql.ts';

/** Whether somebody has products, or can have some. */
const isSeller = part(
  ({ policy, products }): DashboardTools['sells'] =>
    async ({ login }) =>
      needingSeller(policy(), login) === undefined || (await products.list({ ownerId: login.id }, 0, 1)).total > 0,
  { policy: nowSet('selling'), products: productStore },
);

export const cookies = part(({ baseUrl }) => createCookies(baseUrl.startsWith('https:')), {
  baseUrl: setting('BASE_URL'),
});

/** What all pages need. */
export const tools = part(
  ({
    cookies,
    look,
    sells,
    sendsMail,
    sessions,
    notifications,
    clientAddress,
    clock,
    box,
    accountTools,
    uploadLimits,
    serving,
    orders,
    ordersToDo,
    products,
    reviewers,
  }): DashboardTools => ({
    sessions,
    readForm: accountTools.readForm,
    uploadLimits,
    clientAddress,
    homeOf: createHomeOf(products),
    clock,
    box,
    cookies,
    unread: ({ login }) => notifications.countUnread(login.id),
    waitingOrders: ({ login }) => orders.countWaiting({ kind: 'user', user: login }),
    ordersToDo: ({ login }, mode) => ordersToDo({ kind: 'user', user: login }, mode),
    waitingProducts: ({ login }) => reviewers.countWaiting({ kind: 'user', user: login }),
    sells,
    site: look,
    images: serving.origin,
    get sendsMail() {
      return sendsMail();
    },
  }),
  {
    cookies,
    look: siteLook,
    sells: isSeller,
    sendsMail,
    sessions: people.sessions,
    notifications,
    clientAddress,
    clock,
    box: secretBox,
    accountTools,
    uploadLimits,
    serving: fileServing,
    orders: orderList,
    ordersToDo,
    products: productStore,
    reviewers,
  },
);
export const publicFrame = part(({ tools }) => frameOfPublicPages(tools), { tools });
export const notFound = part(({ frame }) => createNotFound(frame), { frame: publicFrame });

/** Makes the pages about one subject, from the tools of all pages and what these need of their own. */
export function pages<Own>(make: (tools: DashboardTools, own: Own) => Endpoint[], needs: Needs<Own>): Part<Endpoint[]> {
  return part(({ tools, own }) => make(tools, own), { tools, own: together(needs) });
}

/** Carries out a form once. */
export const once = part(({ store, clock }) => createOnce(store, clock), { store: idempotencyStore, clock });
