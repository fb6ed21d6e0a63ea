import { createBoundedMemory } from '../../../adapters/bounded-memory.ts';
import { createLeaseSigning } from '../../../adapters/node/lease-signing.ts';
import { createLeaseKeys } from '../../../core/licensing/lease-keys.ts';
import { createLeasing, type KeptLease, type KnownTerms } from '../../../core/licensing/leasing.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { clock, setting } from '../chosen.ts';
import { later, part } from '../part.ts';
import { secretBox } from './secrets.ts';
import * as sql from './sql.ts';

/** Leases that may be given out again: about 2,000 bytes each. */
const leases = part(
  () => createBoundedMemory<KeptLease>(20_000, 32 * 1024 ** 2, ({ token, about }) => token.length + about.length + 200),
  {},
);
const knownTerms = part(() => createBoundedMemory<KnownTerms>(50_000, 16 * 1024 ** 2, () => 200), {});

const noSecret =
  'Leases cannot be signed: this process does not have the signing secret. Set SECRET_KEY to the same value as on the other machines.';

/** A license server needs the signing secret only for leases. Without it, it still verifies. */
const signing = part(
  ({ box, verifyUrl }) =>
    createLeaseSigning(
      async () => {
        try {
          return await box();
        } catch (error) {
          throw new Unavailable(noSecret, { cause: error });
        }
      },
      verifyUrl.replace(/\/+$/, ''),
    ),
  { box: later(secretBox), verifyUrl: setting('VERIFY_URL') },
);

export const leaseKeys = part(createLeaseKeys, { store: sql.leaseKeyStore, signing, clock });

export const leasing = part(createLeasing, {
  store: sql.licenseStore,
  aliases: sql.licenseAliases,
  terms: sql.leaseTerms,
  keys: leaseKeys,
  leases,
  knownTerms,
  clock,
});
