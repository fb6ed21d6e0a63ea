import { expect } from 'chai';
import { openService } from '../../../../apps/server/open-service.ts';
import { compose } from '../../../../apps/wiring/compose.ts';
import { readConfig } from '../../../../apps/wiring/config.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** A browser that keeps cookies. */
function openBrowser(port: number) {
  const jar = new Map<string, string>();
  return {
    jar,
    async post(path: string, fields: Record<string, string> = {}) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          Origin: `http://localhost:${port}`,
          'Sec-Fetch-Site': 'same-origin',
          Cookie: [...jar].map((pair) => pair.join('=')).join('; '),
        },
        body: new URLSearchParams(fields),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = cookie.split(';', 1).join().split('=');
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      expect(answer.status, path).to.equal(303);
    },
  };
}

describe('signing in on the web', () => {
  itLong(
    'writes a mail and a notification in a new browser only; a browser stays known after signing out',
    async () => {
      const settings = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent', PORT: '0' };
      const { parts, port, close } = await openService(readConfig(settings), compose, '127.0.0.1');
      const token = (await (await parts.get(t.signUp)).setUpToken()) ?? '';
      const kinds = async () =>
        good(await (await parts.get(t.mails)).list({ limit: 9 }, operator)).map(({ kind }) => kind);
      const first = openBrowser(port);
      await first.post('/setup', { token, name: 'Ada', ...ada });
      await first.post('/sign-out');
      const device = first.jar.get('device');
      await first.post('/sign-in', ada);
      expect(first.jar.get('device'))
        .to.equal(device)
        .and.match(/^[0-9a-f]{64}$/);
      expect(await kinds()).to.deep.equal([]);

      const second = openBrowser(port);
      await second.post('/sign-in', ada);
      expect(second.jar.get('device')).to.not.equal(device);
      expect(await kinds()).to.deep.equal(['new-sign-in']);
      const login = await (await parts.get(t.loginStore)).findByEmail(ada.email);
      if (login === undefined) return expect.fail();
      expect(await (await parts.get(t.notifications)).countUnread(login.id)).to.equal(1);
      await close(0);
    },
  );
});
