import { createAddresses } from '../../../adapters/http/addresses.ts';
import { createClientAddress } from '../../../adapters/http/client-address.ts';
import { clock, files, linkLifetime, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { signer } from './sql.ts';

export const clientAddress = part(({ trusted }) => createClientAddress(trusted), {
  trusted: setting('TRUSTED_PROXIES'),
});
export const addresses = part(createAddresses, { baseUrl: setting('BASE_URL'), signer, files, clock, linkLifetime });
