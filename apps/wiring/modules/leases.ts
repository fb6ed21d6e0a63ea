import { createBoundedMemory } from '../../../adapters/bounded-memory.ts';
import { createLeaseSigning } from '../../../adapters/node/lease-signing.ts';
import { createLeaseKeys } from '../../../core/licensing/lease-keys.ts';
import { createLeasing, type KeptLease, type KnownTerms } from '../../../core/licensing/leasing.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { clock, setting } from '../chosen.ts';
import { later, part } from '../part.ts';
import { slowAnswer } from './licensing.ts';
import { secretBox } from './secrets.ts';
import * as sql from './sql.ts';

/** Leases that may be given out again: about 2,000 bytes each. */
const leases = part(
  () => createBoundedMemory<KeptLease>(32 * 1024 ** 2, ({ token, about }) => token.length + about.length + 200),
  {},
);
const knownTerms = part(() => createBoundedMemory<KnownTerms>(12 * 1024 ** 2, () => 200), {});

const noSecret =
  'Leases cannot be signed: this process does not have the signing secret. Set SECRET_KEY to the same value as on the other machines.';
const notKept =
  'Leases cannot be signed: this process has made a secret for itself that no other one can have. Set SECRET_KEY to the same value for all processes.';

/** A process whose secret nobody else has signs no leases. It still verifies. */
const signing = part(
  ({ secret, box, verifyUrl }) =>
    createLeaseSigning(
      async () => {
        const { isKept } = await secret().catch((error: unknown) => {
          throw new Unavailable(noSecret, { cause: error });
        });
        // Sealed with such a secret, the key could not be opened by anybody else, nor after a restart.
        if (!isKept) throw new Unavailable(notKept);
        return await box();
      },
      verifyUrl.replace(/\/+$/, ''),
    ),
  { secret: later(sql.signingSecret), box: later(secretBox), verifyUrl: setting('VERIFY_URL') },
);

export const leaseKeys = part(createLeaseKeys, { store: sql.leaseKeyStore, signing, clock });

export const leasing = part(createLeasing, {
  store: sql.licenseStore,
  aliases: sql.licenseAliases,
  terms: sql.leaseTerms,
  leaseKeys,
  history: sql.hostHistory,
  leases,
  knownTerms,
  clock,
  pause: slowAnswer,
});
