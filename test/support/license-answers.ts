import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { minute } from '../../core/time.ts';
import { payable } from './placed-orders.ts';

/** The settings of the old service, and of those that take its database over. */
export const oldSettings = {
  ...{ LOG_LEVEL: 'silent', FILES_URL: 'temporary:', SECRET_KEY: 'the secret of the old one, 32 characters or more' },
  ...payable,
};

/** A license, and the hosts for which it is verified. */
export interface AskedLicense {
  readonly key: string;
  readonly domains: readonly string[];
}

/** The answers of one service about one license at one time: status code and body of each request, in their order. */
interface Answers {
  readonly at: Instant;
  readonly key: string;
  readonly requests: readonly (readonly [request: string, status: number, body: unknown])[];
}

/**
 * Asks the license API of a service with these settings about each license, at each of the times: verifies its hosts,
 * activates one more, and reads its status. It counts verifications, so it gives the same answers once for the same database.
 */
export async function licenseAnswers(
  settings: Readonly<Record<string, string>>,
  licenses: readonly AskedLicense[],
  times: readonly Instant[],
): Promise<Answers[]> {
  const clock = createManualClock(times[0] ?? 0);
  const config = readConfig({ PORT: '0', ...settings });
  const service = await openService(config, (wanted) => compose(wanted, { clock }), 'localhost');
  try {
    const ask = async (path: string, given: Readonly<Record<string, string>>, method: 'GET' | 'POST' = 'GET') => {
      const url = `http://localhost:${service.port}${path}`;
      const headers = { 'Content-Type': 'application/json' };
      const answer =
        method === 'GET'
          ? await fetch(`${url}?${new URLSearchParams(given)}`)
          : await fetch(url, { method, headers, body: JSON.stringify(given) });
      return [`${path} ${given.domain ?? ''}`, answer.status, await answer.json()] as const;
    };
    const answers: Answers[] = [];
    for (const time of times) {
      clock.advance(time - clock.now());
      for (const { key, domains } of licenses) {
        // So that no limit of requests is reached.
        clock.advance(minute);
        const more = `more-${time % 997}.example.com`;
        const requests: Answers['requests'][number][] = [];
        for (const domain of [...domains, 'elsewhere.example.com']) {
          requests.push(await ask('/verify', { license_key: key, domain }));
        }
        requests.push(await ask('/activate', { license_key: key, domain: more }, 'POST'));
        requests.push(await ask('/verify', { license_key: key, domain: more }));
        requests.push(await ask('/status', { license_key: key }));
        answers.push({ at: clock.now(), key, requests });
      }
    }
    return answers;
  } finally {
    await service.close(0);
  }
}
