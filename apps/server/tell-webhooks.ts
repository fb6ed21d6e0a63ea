import { repeat } from '../../adapters/repeat.ts';
import { tellExpired } from '../../core/webhooks/expiry.ts';
import { tellVerified } from '../../core/webhooks/verification.ts';
import type { Parts } from '../wiring/compose.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

const every = 15_000;

/**
 * Adds the events of webhooks that no change adds: licenses that have expired, and verifications. Now and every 15 seconds.
 * A license server does not do this. Returns a function that stops it.
 */
export async function tellWebhooks(parts: Parts): Promise<() => Promise<void>> {
  if (!servesAccounts((await parts.get(t.config)).SURFACE)) return async () => undefined;
  const [log, clock] = [await parts.get(t.log), await parts.get(t.clock)];
  const [expiries, verifications] = [await parts.get(t.webhookExpiries), await parts.get(t.webhookVerifications)];
  let isStopping = false;
  const goOn = () => !isStopping;

  /** Logs the first failure in a row: the next ones fail too, until the database is back. */
  const attempt = (work: () => Promise<unknown>, message: string) => {
    let isFailing = false;
    return async () => {
      try {
        await work();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !isStopping) log.error({ err: error }, message);
        isFailing = true;
      }
    };
  };
  const expired = attempt(
    () => tellExpired(expiries, clock, goOn),
    'webhooks cannot be told of licenses that have expired',
  );
  const verified = attempt(async () => {
    const result = await tellVerified(verifications, clock, goOn);
    if (result === 'lost') log.warn('another process took over the webhooks about verifications');
  }, 'webhooks cannot be told of verifications');

  const telling = repeat(async () => void (await Promise.all([expired(), verified()])), every);
  telling.now();
  return async () => {
    isStopping = true;
    await soon(telling.stop());
  };
}
