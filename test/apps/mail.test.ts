import { expect } from 'chai';
import type { Logger } from 'pino';
import { openService } from '../../apps/server/open-service.ts';
import { keepWorking } from '../../apps/server/queues.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { isRefused } from '../../core/refusal.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { good } from '../support/good.ts';
import { itLong, needing } from '../support/required-service.ts';
import { runCommand } from '../support/run-command.ts';
import { startServer } from '../support/server-process.ts';
import { refusal, startSilent, startSmtp } from '../support/smtp-server.ts';
import { type SqlPlace, sqlKinds } from '../support/sql-databases.ts';
import { administer } from './admin-program.ts';

const to = 'ada@example.com';
const from = { MAIL_FROM: 'Latchkey <latchkey@example.com>' };
const day = 24 * 3_600_000;

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`latchkey-server mail: ${name}`, () => {
    let place: SqlPlace;
    beforeEach(async () => {
      place = await make();
      await (await place.open()).close();
    });
    afterEach(() => place.remove());
    const settings = (more: Record<string, string> = {}) => ({
      DATABASE_URL: place.url,
      FILES_URL: 'temporary:',
      ...more,
    });
    const admin = (more?: Record<string, string>) => administer(settings(more));
    const smtp = (port: number) => ({ MAIL_URL: `smtp://127.0.0.1:${port}`, ...from });
    /** Runs a command that fails after it has printed its answer. */
    const failing = async (more: Record<string, string>, ...args: string[]) => {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], settings(more));
      expect(code).to.equal(1);
      return { mail: JSON.parse(stdout).mail, error: JSON.parse(stderr).error };
    };

    itLong('keeps mails to be read if there is no mail server, and sends them when there is one', async () => {
      const { text, json, refusal: refused } = admin();
      expect(await text('mail', 'test', to, '--actor', 'admin:eve')).to.equal(
        `Mail 1 to ${to} was kept and not sent, because MAIL_URL names no mail server. Read it with: latchkey-server mail show 1`,
      );
      const shown = await text('mail', 'show', '1');
      expect(shown).to.include('Test e-mail from Latchkey').and.include('admin:eve sent it');
      expect(shown).to.match(/^State +kept, 1 attempt$/m);
      const { mails } = await json('mail', 'list', '--state', 'kept', '--to', to.toUpperCase());
      expect(mails).to.have.lengthOf(1);
      expect(mails[0])
        .to.include({ id: 1, kind: 'test', state: 'kept', error: null })
        .and.not.have.any.keys('text', 'html');
      expect((await json('mail', 'show', '1')).mail.html).to.include('<p ');

      await using server = await startSmtp();
      expect(await admin(smtp(server.port)).text('mail', 'retry', '1')).to.equal(
        `Mail 1 to ${to} was handed to the mail server.`,
      );
      expect(server.received.map(({ to: recipients }) => recipients)).to.deep.equal([[to]]);
      expect(await refused('mail', 'retry', '1')).to.equal('Mail 1 has been sent already.');
      const { events } = await json('audit', '--subject', to);
      expect(events.map(({ type, actor }: { type: string; actor: string }) => [type, actor])).to.deep.equal([
        ['mail.retried', events[0].actor],
        ['mail.tested', 'admin:eve'],
      ]);
    });

    itLong('refuses what is no mail and no address', async () => {
      const { refusal: refused, misuse } = admin();
      for (const id of ['1', '999999999999', 'x', '-']) {
        expect(await refused('mail', 'show', id)).to.equal(`There is no mail with the id ${id}.`);
      }
      expect(await refused('mail', 'retry', '4')).to.equal('There is no mail with the id 4.');
      expect(await misuse('mail', 'test', 'a@b.de,c@d.de')).to.include('e-mail address');
    });

    itLong(
      'reports a mail that was refused for good, one that is tried again, and a server that cannot be reached',
      async () => {
        await using strict = await startSmtp({ onRcptTo: (_, __, callback) => callback(refusal(550, 'No such user')) });
        const refused = await failing(smtp(strict.port), 'mail', 'test', to);
        expect(refused.mail).to.include({ state: 'failed', attempts: 1, due_at: null });
        expect(refused.error).to.deep.equal({
          code: 'incomplete',
          message: `Mail 1 to ${to} was not sent: The mail server refused the mail: 550 No such user.`,
        });

        await using busy = await startSmtp({ onRcptTo: (_, __, callback) => callback(refusal(451, 'Later')) });
        const queued = await failing(smtp(busy.port), 'mail', 'test', to);
        expect(queued.mail).to.include({ state: 'queued', attempts: 1 });
        expect(queued.error.message).to.match(
          /was not sent yet: The mail server refused the mail: 451 Later\. Next attempt: 20/,
        );
        expect(await admin().refusal('mail', 'retry', '2')).to.equal('Mail 2 is queued already.');

        const { mail } = await failing(smtp(1), 'mail', 'test', to);
        expect(mail.error).to.include('The connection to the mail server failed');
        expect(await admin().text('mail', 'list', '--limit', '2')).to.match(/^ID .*\n3 .*queued.*\n2 .*queued.*$/);
      },
    );

    itLong('is done by a server soon after another process queued it', async () => {
      await using server = await startSmtp();
      const running = await startServer(settings(smtp(server.port)));
      try {
        await admin().beside(async (parts) => (await parts.get(t.mails)).sendTest(to, operator));
        await eventually('the mail arrives', () => server.received.length === 1);
        await eventually(
          'its state is sent',
          async () => (await admin().json('mail', 'show', '1')).mail.state === 'sent',
        );
      } finally {
        expect(await running.stop('SIGTERM')).to.equal(0);
      }
    });
  });
}

describe('the work of a server', () => {
  const open = async (more: Record<string, string> = {}) => {
    const settings = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent', PORT: '0', ...more };
    return await openService(readConfig(settings), compose, '127.0.0.1');
  };
  const smtp = (port: number) => ({ MAIL_URL: `smtp://127.0.0.1:${port}`, ...from });
  const mailOf = async ({ parts }: Awaited<ReturnType<typeof open>>) => {
    const mail = await (await parts.get(t.mails)).show('1', operator);
    return isRefused(mail) ? expect.fail() : mail;
  };

  itLong('begins right after the commit that added it', async () => {
    await using server = await startSmtp();
    const service = await open(smtp(server.port));
    const mails = await service.parts.get(t.mails);
    // The first look has passed, and the next one without a commit is a second away.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    for (let n = 0; n < 20; n++) await mails.sendTest(to, operator);
    await eventually('all arrive', () => server.received.length === 20);
    expect(performance.now() - began).to.be.lessThan(5_000);
    await eventually(
      'all are sent',
      async () => good(await mails.list({ state: 'sent', limit: 99 }, operator)).length === 20,
    );
    await service.close(0);
  });

  itLong('ends with the server: running work is finished', async () => {
    await using server = await startSmtp({ onRcptTo: (_, __, callback) => setTimeout(callback, 300) });
    const service = await open(smtp(server.port));
    await (await service.parts.get(t.mails)).sendTest(to, operator);
    await eventually(
      'it is claimed',
      async () => (await (await service.parts.get(t.workQueue)).backlog(Date.now())).mail.count === 1,
    );
    const { parts } = service;
    const stop = parts.close;
    let state = '';
    Object.assign(parts, {
      close: async () => {
        ({ state } = await mailOf(service));
        await stop();
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await service.close(0);
    expect([state, server.received.length]).to.deep.equal(['sent', 1]);
  });

  itLong('is given back if it does not end in time', async () => {
    await using silent = await startSilent();
    const service = await open(smtp(silent.port));
    await (await service.parts.get(t.mails)).sendTest(to, operator);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { parts } = service;
    const stop = parts.close;
    let found: unknown;
    Object.assign(parts, {
      close: async () => {
        const { state, attempts, dueAt } = await mailOf(service);
        found = { state, attempts, isDue: dueAt !== null && dueAt <= (await parts.get(t.clock)).now() };
        await stop();
      },
    });
    const began = performance.now();
    await service.close(0);
    expect(performance.now() - began).to.be.lessThan(8_000);
    expect(found).to.deep.equal({ state: 'queued', attempts: 0, isDue: true });
  });

  it('is not done by a license server', async () => {
    const service = await open({ SURFACE: 'license' });
    await (await service.parts.get(t.mails)).sendTest(to, operator);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await mailOf(service)).state).to.equal('queued');
    await service.close(0);
  });

  itLong(
    'shows in the metrics: how much waits, for how long, and how attempts ended; a mail server that is down does not make the service unready',
    async () => {
      const config = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent', ...smtp(1) };
      const parts = await compose(readConfig(config));
      const mails = await parts.get(t.mails);
      await mails.sendTest(to, operator);
      const end = await keepWorking(parts);
      await eventually('it was tried', async () => good(await mails.list({ limit: 1 }, operator))[0]?.error !== null);
      const text = await (await parts.get(t.registry)).metrics();
      expect(text).to.include('latchkey_work_queue_depth{kind="mail"} 1\n');
      expect(text).to.match(/^latchkey_work_queue_oldest_seconds\{kind="mail"\} 0?\.?\d+$/m);
      expect(text).to.include('latchkey_work_attempts_total{kind="mail",outcome="again"} 1\n');
      for (const check of Object.values(await parts.get(t.neededChecks))) await check();
      await end();
      await parts.close();
    },
  );

  it('reports an unreachable database once, and works on when it is back', async () => {
    const lines: string[] = [];
    const note = (_: object, message: string) => void lines.push(message);
    const log = { info: note, warn: note, error: note, fatal: note, debug: note } as unknown as Logger;
    const parts = await compose(readConfig({ DATABASE_URL: 'memory:', FILES_URL: 'temporary:' }), { log });
    const queue = await parts.get(t.workQueue);
    const { claim } = queue;
    Object.assign(queue, { claim: () => Promise.reject(new Error('out')) });
    const end = await keepWorking(parts);
    const bell = await parts.get(t.workBell);
    for (let n = 0; n < 3; n++) {
      bell.ring();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lines).to.deep.equal(['waiting work cannot be claimed']);
    Object.assign(queue, { claim });
    const mails = await parts.get(t.mails);
    await mails.sendTest(to, operator);
    await eventually(
      'it is kept',
      async () => good(await mails.list({ state: 'kept', limit: 1 }, operator)).length === 1,
    );
    await end();
    await parts.close();
  });

  itLong('deletes mails after 30 days', async () => {
    const { createManualClock } = await import('../../adapters/node/manual-clock.ts');
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const config = readConfig({ DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' });
    const parts = await compose(config, { clock });
    const mails = await parts.get(t.mails);
    await mails.sendTest(to, operator);
    const worker = (await parts.get(t.createWorker))(new AbortController().signal);
    await worker.take();
    await worker.idle();
    clock.advance(30 * day);
    expect(await mails.forgetOld()).to.equal(0);
    clock.advance(1);
    expect(await mails.forgetOld()).to.equal(1);
    expect(good(await mails.list({ limit: 9 }, operator))).to.deep.equal([]);
    await parts.close();
  });
});
