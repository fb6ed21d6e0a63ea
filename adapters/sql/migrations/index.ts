import type { Migration } from '../migrate.ts';
import { licensing } from './0001-licensing.ts';
import { accounts } from './0002-accounts.ts';
import { licenseVersions } from './0003-license-versions.ts';

/** In the order in which they are taken. A released one is never changed: what it lacks comes in the next. */
export const migrations: readonly Migration[] = [licensing, accounts, licenseVersions];
