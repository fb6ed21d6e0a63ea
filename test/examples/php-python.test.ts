import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { type Service, startService } from '../adapters/http/license/license-service.ts';
import { answering, type Door, openDoor } from '../apps/sdk/door.ts';
import { operator } from '../support/by.ts';
import { eventually, until } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needing } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Asked, exampleFile, type Interpreter, interpreters, phpProgram, type Told } from './interpreters.ts';

const hour = 3600;
const day = 24 * hour;
const domain = 'shop.example.com';

/** Answers that say nothing about the license, the reason that each is, and how many calls it takes. */
const doubts: Readonly<Record<string, [mode: Parameters<Door['set']>[0], reason: string, calls: number]>> = {
  'a cut connection': ['cut', 'network', 2],
  'a server that hangs': ['hung', 'timeout', 2],
  'a fault of the server': [answering(500, { error: 'internal_error' }), 'server_error', 2],
  'a server without time': [answering(503, {}, { 'Retry-After': '20' }), 'server_error', 1],
  'too many calls': [answering(429, { valid: false, error: 'rate_limit_exceeded' }), 'rate_limited', 1],
  'a refused form': [answering(422, { valid: false, error: 'validation_error' }), 'refused', 1],
  'the sign-in page of a Wi-Fi': [answering(200, '<h1>Welcome</h1>'), 'bad_answer', 1],
  'a refusal of another program': [answering(403, { valid: false, error: 'revoked' }), 'bad_answer', 1],
  'a page that is missing': [answering(404, { valid: false, error: 'not_found' }), 'bad_answer', 1],
  'another kind of answer': [answering(200, { valid: true, license: [] }), 'bad_answer', 1],
};

for (const language of interpreters) {
  needing(language.skip).describe(`the example for ${language.name}`, () => {
    let service: Service;
    let door: Door;
    let folder: TemporaryFolder;
    let key: string;
    let asked: Asked;
    before(async () => {
      service = await startService({ now: new Date(), settings: { RATE_LIMIT_URL: 'off:' } });
    });
    after(() => service.close());
    beforeEach(async () => {
      folder = await makeTemporaryFolder();
      door = await openDoor(() => service.url);
      key = await service.license();
      await service.post('/activate', { license_key: key, domain });
      asked = { url: door.url, key, domain, file: folder.file('kept/license.json') };
    });
    afterEach(async () => {
      await door[Symbol.asyncDispose]();
      await folder.remove();
    });

    const check = (more: Partial<Asked> = {}): Promise<Told> => language.run({ ...asked, ...more });
    const later = (shift: number, more: Partial<Asked> = {}) => check({ shift, ...more });

    it('is valid on the right domain, and invalid on another one or with another key', async () => {
      expect(await check()).to.include({ state: 'valid', reason: null, fromCache: false });
      expect(await check({ domain: 'other.example.com' })).to.include({ state: 'invalid', reason: 'invalid_domain' });
      const wrong = 'LIC-0000-0000-0000-0000';
      expect(await check({ key: wrong })).to.include({ state: 'invalid', reason: 'invalid_key' });
    });

    it('leaves the spelling of the domain to the server', async () => {
      expect(await check({ domain: 'https://SHOP.example.com:8443/?a&b' })).to.include({ state: 'valid' });
      expect(await check({ domain: '*.example.com' })).to.include({ state: 'unknown', reason: 'refused' });
    });

    it('asks once an hour', async () => {
      await check();
      expect(await later(47 * 60)).to.include({ state: 'valid', fromCache: true });
      expect(door.calls).to.deep.equal(['GET /verify']);
      expect(await later(61 * 60)).to.include({ state: 'valid', fromCache: false });
      expect(door.calls).to.have.length(2);
    });

    for (const [what, [mode, reason, calls]] of Object.entries(doubts)) {
      it(`is unknown after ${what}, and valid again with an earlier answer`, async () => {
        // Only one of them waits for it.
        asked = { ...asked, timeout: mode === 'hung' ? 0.5 : 30 };
        door.set(mode);
        expect(await check()).to.include({ state: 'unknown', reason, fromCache: false });
        expect(door.calls, 'the calls of one check').to.have.length(calls);
        expect(await check(), 'rests').to.include({ state: 'unknown', reason });
        expect(door.calls).to.have.length(calls);
        door.set('open');
        expect(await later(61, { timeout: 30 })).to.include({ state: 'valid' });
        door.set(mode);
        expect(await later(3 * hour)).to.include({ state: 'valid', reason, fromCache: true });
      });
    }

    it('is unknown if nothing listens', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      expect(await check({ url })).to.include({ state: 'unknown', reason: 'network' });
    });

    it('repeats a call that brought no answer', async () => {
      door.once('cut');
      expect(await check()).to.include({ state: 'valid', reason: null });
      expect(door.calls).to.have.length(2);
    });

    it('keeps a valid license for 7 days without an answer', async () => {
      await check();
      door.set('cut');
      expect(await later(7 * day - 60)).to.include({ state: 'valid', reason: 'network' });
      expect(await later(7 * day + 60)).to.include({ state: 'unknown', reason: 'network' });
    });

    it('keeps it no longer than the license', async () => {
      key = await service.license({ expiresAt: Math.floor(Date.now() / 1000 + 2 * day) * 1000 });
      await service.post('/activate', { license_key: key, domain });
      asked = { ...asked, key };
      await check();
      door.set('cut');
      expect(await later(2 * day - 60)).to.include({ state: 'valid' });
      expect(await later(2 * day + 60)).to.include({ state: 'unknown' });
    });

    it('notices a revoked license after the hour, or at once if forced, and keeps that without an answer', async () => {
      await check();
      await service.issuing.change(key, 'revoke', operator);
      expect(await check()).to.include({ state: 'valid' });
      expect(await later(61 * 60)).to.include({ state: 'invalid', reason: 'revoked' });
      door.set('cut');
      expect(await later(30 * day)).to.include({ state: 'invalid', reason: 'revoked' });
    });

    it('asks at once if forced', async () => {
      await check();
      await service.issuing.change(key, 'revoke', operator);
      expect(await check({ act: 'fresh' })).to.include({ state: 'invalid', reason: 'revoked' });
    });

    it('rests as long as Retry-After says, also if forced, but at most an hour', async () => {
      for (const [wait, end] of [
        ['120', 120],
        [new Date(Date.now() + 600_000).toUTCString(), 600],
        ['99999999', hour],
      ] as const) {
        const file = folder.file(`kept/${end}`);
        door.set(answering(429, {}, { 'Retry-After': wait }));
        expect(await check({ file })).to.include({ state: 'unknown', reason: 'rate_limited' });
        const before = door.calls.length;
        door.set('open');
        expect(await later(end - 20, { file, act: 'fresh' })).to.include({ state: 'unknown' });
        expect(door.calls).to.have.length(before);
        expect(await later(end + 20, { file })).to.include({ state: 'valid' });
      }
    });

    it('lets nothing count longer if the clock is set back', async () => {
      await later(day);
      door.set('cut');
      expect(await check(), 'asks, because nobody knows how old the answer is').to.include({ state: 'unknown' });
      expect(door.calls).to.have.length(3);
    });

    it('remembers how far the clock was, so that setting it back later is noticed', async () => {
      await check();
      expect(await later(40 * 60)).to.include({ fromCache: true });
      door.set('cut');
      expect(await later(60)).to.include({ state: 'unknown' });
    });

    it('asks if the file is broken, and mends it', async () => {
      await check();
      const whole = await readFile(asked.file, 'utf8');
      const texts = ['', '{', 'null', '[]', '{"state":"valid"}', '\0\xff', whole.slice(0, -9), `[${whole}]`];
      const fields: Readonly<Record<string, unknown>> = JSON.parse(whole);
      for (const name of ['for', 'state', 'age', 'ask_at', 'seen', 'checked_at', 'expires_at']) {
        texts.push(JSON.stringify({ ...fields, [name]: { a: 1 } }));
      }
      texts.push(whole.replace(/"age": ?[\d.]+/, `"age":1${'0'.repeat(400)}`));
      for (const text of texts) {
        await writeFile(asked.file, text, 'latin1');
        expect(await check(), text).to.include({ state: 'valid', fromCache: false });
      }
      expect(await check()).to.include({ state: 'valid', fromCache: true });
    });

    it('keeps its answer in whole files that only their user can read', async () => {
      await check();
      const names = await readdir(dirname(asked.file));
      expect(names.sort()).to.deep.equal(['license.json', 'license.json.lock']);
      for (const name of names) expect((await stat(folder.file(`kept/${name}`))).mode & 0o777, name).to.equal(0o600);
      expect((await stat(dirname(asked.file))).mode & 0o777).to.equal(0o700);
      expect(await readFile(asked.file, 'utf8')).not.to.include(key);
    });

    it('uses no file in a folder that others can write to', async () => {
      await check();
      expect(await check(), 'in its own folder').to.include({ fromCache: true });
      const kept = await readFile(asked.file, 'utf8');
      await chmod(dirname(asked.file), 0o777);
      expect(await check()).to.include({ state: 'valid', fromCache: false });
      expect(await readFile(asked.file, 'utf8')).to.equal(kept);
    });

    it('works without a folder for its file', async () => {
      await writeFile(folder.file('not-a-folder'), '');
      expect(await check({ file: folder.file('not-a-folder/license.json') })).to.include({ state: 'valid' });
    });

    it('makes one call for many processes at once', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => check()));
      for (const told of all) expect(told).to.include({ state: 'valid' });
      expect(door.calls).to.deep.equal(['GET /verify']);
    });

    it('does not wait for the call of another process if an earlier answer counts', async () => {
      await check();
      const go = door.hold();
      const waiting = later(2 * hour);
      await until(() => door.calls.length === 2);
      // A reason would mean that it asked too, and got no answer.
      expect(await later(2 * hour)).to.include({ state: 'valid', reason: null, fromCache: true });
      go();
      await waiting;
    });

    it('activates the domain', async () => {
      const fresh = await service.license();
      expect(await check({ key: fresh })).to.include({ state: 'invalid' });
      expect(await check({ key: fresh, act: 'activate' })).to.include({ ok: true });
      expect(await check({ key: fresh })).to.include({ state: 'valid' });
      const other = { key: fresh, domain: 'other.example.com', act: 'activate' } as const;
      expect(await check(other)).to.include({ ok: false, reason: 'domain_limit_reached' });
      door.set('cut');
      expect(await check(other)).to.include({ ok: false, reason: 'network' });
    });

    it('has a site that shows its licensed part to 50 visitors at once, with one call', async () => {
      await using site = await openSite(language, asked);
      const pages = await site.visit(50);
      for (const page of pages) expect(page).to.include('<h1>My shop</h1>').and.to.include('Reports');
      expect(door.calls).to.deep.equal(['GET /verify']);
    });

    it('has a site that hides the licensed part, and not more, if the license is invalid', async () => {
      await using site = await openSite(language, { ...asked, domain: 'other.example.com' });
      const pages = await site.visit(2);
      for (const page of pages) {
        expect(page).to.include('<h1>My shop</h1>').and.not.include('Reports');
        expect(page, 'nothing for visitors').to.not.match(/licen[sc]e/i);
      }
    });

    it('has a site that goes on while the server cannot be reached', async () => {
      door.set('cut');
      await using site = await openSite(language, asked);
      expect((await site.visit(1))[0]).to.include('Reports');
    });
  });
}

needing(phpProgram.skip).it('the examples in PHP have no syntax errors', async () => {
  for (const file of ['php/index.php', 'php/latchkey.php', 'wordpress/latchkey-license/latchkey-license.php']) {
    const { status, stdout } = spawnSync(phpProgram.path, ['-l', exampleFile(file)], { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
  }
});

interface Site extends AsyncDisposable {
  /** Returns the pages that so many visitors get at once. */
  visit(count: number): Promise<string[]>;
}

/** Starts the site of the example. Resolves when it listens, without opening a page. */
async function openSite(language: Interpreter, { url, key, domain, file }: Asked): Promise<Site> {
  const port = await freePort();
  const [program, args] = language.site(port);
  const child: ChildProcess = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      PHP_CLI_SERVER_WORKERS: '4',
      LICENSE_URL: url,
      LICENSE_KEY: key,
      LICENSE_DOMAIN: domain,
      LICENSE_FILE: file,
    },
    stdio: 'ignore',
    // The server of PHP starts workers, which end with its group.
    detached: true,
  });
  await eventually('the site listens', () => canConnect(port));
  return {
    visit: (count) =>
      Promise.all(Array.from({ length: count }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text())),
    async [Symbol.asyncDispose]() {
      if (child.pid === undefined || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
  });
}
