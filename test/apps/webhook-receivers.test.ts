import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { bodyOf } from '../../adapters/webhook-body.ts';
import { signed } from '../../adapters/webhooks/signatures.ts';
import { toUserId } from '../../core/id.ts';
import { sampleOf } from '../../core/webhooks/sample.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { itLong, needing } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const guide = await readFile(new URL('../../apps/docs/webhooks.md', import.meta.url), 'utf8');

interface Language {
  /** Prints its version, which shows that it is there. */
  readonly program: string;
  readonly version: string;
  readonly file: string;
  command(file: string, port: number): readonly string[];
}

/** The receivers of the guide, by the language of their code. */
const languages: Readonly<Record<string, Language>> = {
  js: { program: process.execPath, version: '--version', file: 'receiver.mjs', command: (file) => [file] },
  php: {
    program: 'php',
    version: '--version',
    file: 'receiver.php',
    command: (file, port) => ['-S', `127.0.0.1:${port}`, file],
  },
  python: { program: 'python3', version: '--version', file: 'receiver.py', command: (file) => [file] },
  go: { program: 'go', version: 'version', file: 'receiver.go', command: (file) => ['run', file] },
};

const secret = mintWebhookSecret(systemSecrets);
const other = mintWebhookSecret(systemSecrets);
const facts = { type: 'license.revoked', ownerId: toUserId(1), isLive: true, product: undefined } as const;
const body = bodyOf(sampleOf({ ...facts, at: Date.now() }), 'evt_1').replace('Sample product', 'Κέικ 🍰');
const message = { id: 'evt_1', body } as const;

describe('the guide to webhooks', () => {
  it('has a receiver in each language', () => {
    for (const language of Object.keys(languages)) expect(codeIn(language), language).to.not.equal('');
  });

  it('describes signatures as the package of Standard Webhooks reads them', () => {
    const headers = signed({ ...message, at: Date.now(), secrets: [other, secret] });
    for (const one of [secret, other]) expect(new Webhook(one).verify(body, headers)).to.deep.equal(JSON.parse(body));
  });

  for (const [language, { program, version, file, command }] of Object.entries(languages)) {
    const isThere = spawnSync(program, [version]).status === 0;
    needing(isThere ? undefined : `${program} is not installed`).describe(`the receiver in ${language}`, () => {
      let folder: TemporaryFolder;
      let receiver: ChildProcess;
      let url: string;
      before(async () => {
        folder = await makeTemporaryFolder();
        await writeFile(folder.file(file), codeIn(language));
        const port = await freePort();
        url = `http://127.0.0.1:${port}`;
        receiver = spawn(program, command(folder.file(file), port), {
          env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
          stdio: 'ignore',
          // `go run` starts another process, which ends with its group.
          detached: true,
        });
        await eventually('the receiver answers', () =>
          fetch(url, { method: 'POST', body: '{}' }).then(
            () => true,
            () => false,
          ),
        );
      });
      after(async () => {
        if (receiver.pid !== undefined && receiver.exitCode === null) {
          const ended = once(receiver, 'exit');
          process.kill(-receiver.pid);
          await ended;
        }
        await folder.remove();
      });

      const send = async (path: string, headers: Record<string, string>, sent = body) =>
        (await fetch(url + path, { method: 'POST', headers, body: sent })).status;
      const now = () => Date.now();

      itLong('accepts what is really signed, by either signature', async () => {
        const headers = signed({ ...message, at: now(), secrets: [secret] });
        expect(await send('/', headers)).to.equal(204);
        expect(await send('/simple', headers)).to.equal(204);
      });

      it('accepts the old secret after a change', async () => {
        expect(await send('/', signed({ ...message, at: now(), secrets: [other, secret] }))).to.equal(204);
      });

      it('refuses another secret, another body, and a request without signature', async () => {
        for (const path of ['/', '/simple']) {
          expect(await send(path, signed({ ...message, at: now(), secrets: [other] }))).to.equal(400);
          expect(await send(path, signed({ ...message, at: now(), secrets: [secret] }), `${body} `)).to.equal(400);
          expect(await send(path, {})).to.equal(400);
          const empty = { 'webhook-timestamp': 'x', 'webhook-signature': 'v1,', 'x-service-signature': 'sha256=' };
          expect(await send(path, empty)).to.equal(400);
        }
      });

      it('refuses an old request by webhook-signature', async () => {
        const headers = signed({ ...message, at: now() - 10 * 60_000, secrets: [secret] });
        expect(await send('/', headers)).to.equal(400);
        expect(await send('/simple', headers)).to.equal(204);
      });
    });
  }
});

/** The receiver in the guide, which is its only code in this language. */
function codeIn(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? '';
}
