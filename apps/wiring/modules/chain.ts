import { subjects } from '../../../adapters/chain/agreed.ts';
import { createChains } from '../../../adapters/chain/chains.ts';
import { keccak as keccak256 } from '../../../adapters/chain/keccak.ts';
import type { Keccak } from '../../../core/ports/chain.ts';
import { log, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { instruments } from './observing.ts';

/** The chains that CHAINS names. */
export const chains = part(
  ({ urls, log, instruments }) => {
    for (const [chain, rpcs] of urls)
      if (rpcs.length > 1) for (const about of subjects) instruments.chainDisagreed(chain, about, 0);
    return createChains({
      urls,
      observe: {
        called: instruments.chainCalled,
        disagreed(chain, about) {
          instruments.chainDisagreed(chain, about);
          log.warn({ chain, about }, 'the RPCs of a chain contradict each other: none of them is believed');
        },
      },
    });
  },
  { urls: setting('CHAINS'), log, instruments },
  (made) => made.close(),
);

export const keccak = part((): Keccak => keccak256, {});
