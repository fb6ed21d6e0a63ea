import { workBell } from './bell.ts';
import * as chosen from './chosen.ts';
import { lifecycle } from './lifecycle.ts';
import * as accounts from './modules/accounts.ts';
import * as addresses from './modules/addresses.ts';
import * as chain from './modules/chain.ts';
import * as files from './modules/files.ts';
import * as http from './modules/http.ts';
import * as leases from './modules/leases.ts';
import * as licenseApi from './modules/license-api.ts';
import * as licensing from './modules/licensing.ts';
import * as limits from './modules/limits.ts';
import * as mail from './modules/mail.ts';
import * as marketplace from './modules/marketplace.ts';
import * as observing from './modules/observing.ts';
import * as payments from './modules/payments.ts';
import * as purchases from './modules/purchases.ts';
import * as sandbox from './modules/sandbox.ts';
import * as keptSecrets from './modules/secrets.ts';
import * as settings from './modules/settings.ts';
import * as sql from './modules/sql.ts';
import * as system from './modules/system.ts';
import * as usdc from './modules/usdc.ts';
import * as webhooks from './modules/webhooks.ts';
import * as work from './modules/work.ts';

/** The parts of the service, by name, without those of surfaces that are loaded at their first request. */
export const t = {
  ...chosen,
  lifecycle,
  workBell,
  ...observing,
  ...sql,
  ...limits,
  ...mail,
  ...accounts,
  ...files,
  ...payments,
  ...purchases,
  ...work,
  ...chain,
  ...usdc,
  ...licensing,
  ...marketplace,
  ...webhooks,
  ...sandbox,
  ...addresses,
  ...leases,
  ...licenseApi,
  ...keptSecrets,
  ...settings,
  ...http,
  ...system,
};
