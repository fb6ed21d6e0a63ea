import { widerNetworkOf } from '../../../adapters/network.ts';
import { createQueue } from '../../../adapters/queue.ts';
import type { Login } from '../../../core/accounts/login.ts';
import type { From } from '../../../core/accounts/signed-in.ts';
import { createOpenSandbox } from '../../../core/sandbox/open-sandbox.ts';
import { sandboxesFilled } from '../../../core/sandbox/sandbox.ts';
import type { SandboxSamples } from '../../samples/sandbox.ts';
import { clock, files, secrets } from '../chosen.ts';
import { part } from '../part.ts';
import { accounts, signInPorts } from './accounts.ts';
import { licensing } from './licensing.ts';
import { marketplace } from './marketplace.ts';
import { checkout, purchases } from './purchases.ts';
import { licenseStore, sandboxStore } from './sql.ts';
import { webhooks } from './webhooks.ts';

const fill = part(
  (ports) => async (owner: Login, from: From) => {
    // Only a sandbox needs it.
    const { fillSandbox } = await import('../../samples/sandbox.ts');
    return await fillSandbox(ports, owner, from);
  },
  { store: licenseStore, licensing, secrets, clock, accounts, marketplace, webhooks, checkout, purchases, files },
);

export const openSandbox = part(
  (ports: Omit<Parameters<typeof createOpenSandbox<SandboxSamples>>[0], 'inTurn' | 'networkOf'>) =>
    createOpenSandbox({ ...ports, inTurn: createQueue(sandboxesFilled), networkOf: widerNetworkOf }),
  { ...signInPorts, store: sandboxStore, fill },
);
