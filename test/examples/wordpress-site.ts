import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { exampleFile, phpProgram } from './interpreters.ts';

const run = promisify(execFile);

/** A WordPress with the plugin of the examples, on a MariaDB of its own. */
export interface WordPress extends AsyncDisposable {
  readonly url: string;
  /** Runs PHP inside of WordPress, and returns what it prints. */
  php(code: string): Promise<string>;
  /** Returns the lines of the log of PHP that are about the plugin. */
  complaints(): Promise<string[]>;
  /** Returns somebody who has signed in. Without a name: a visitor. */
  browser(name?: string): Promise<WebBrowser>;
}

/** Somebody who opens pages, with the cookies of their own. */
export interface WebBrowser {
  open(path: string): Promise<Page>;
  /** Sends the form that has this text in it, as the page shows it, with other values. */
  submit(page: Page, form: RegExp, values?: Record<string, string>): Promise<Page>;
  post(path: string, values: Record<string, string>): Promise<Page>;
}

export interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
}

const password = 'not-a-secret';

/** A theme with a part that needs a license. */
const theme = `<h1>Shop</h1><?php if (latchkey_is_licensed()) { echo 'Reports'; } wp_footer();`;

/** `source` is the folder of a WordPress. It is copied. */
export async function openWordPress(source: string): Promise<WordPress> {
  const folder = await makeTemporaryFolder();
  const root = folder.file('site');
  const files = (await readdir(source)).filter((name) => name.endsWith('.php') && name !== 'wp-config.php');
  for (const name of ['wp-admin', 'wp-includes', ...files]) {
    await cp(join(source, name), join(root, name), { recursive: true, dereference: true });
  }
  const content = (path: string) => join(root, 'wp-content', path);
  await mkdir(content('themes/plain'), { recursive: true });
  await writeFile(content('themes/plain/style.css'), '/* Theme Name: Plain */');
  await writeFile(content('themes/plain/index.php'), theme);
  // The two commands of the guide.
  const plugin = 'latchkey-license';
  await cp(exampleFile(`wordpress/${plugin}`), content(`plugins/${plugin}`), { recursive: true });
  await cp(exampleFile('php/latchkey.php'), content(`plugins/${plugin}/latchkey.php`));

  const database = folder.file('database');
  const options = ['--no-defaults', `--datadir=${database}`, `--user=${userInfo().username}`];
  // Debian has the server where only root looks.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  await run('mariadb-install-db', [...options, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env,
  });
  const socket = join(database, 'socket');
  const mariadb = spawn('mariadbd', [...options, `--socket=${socket}`, '--skip-networking'], {
    env,
    stdio: 'ignore',
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(root, 'wp-config.php'), config(socket, url, folder.file('log')));
  const client = ['--no-defaults', '-uroot', '-S', socket, '-e', 'create database shop'];
  await eventually('MariaDB answers', () =>
    run('mariadb', client).then(
      () => true,
      () => false,
    ),
  );

  const php = async (code: string) => {
    const start = `$_SERVER['HTTP_HOST'] = '127.0.0.1'; require '${root}/wp-load.php';`;
    return (await run(phpProgram.path, ['-r', `${start} ${code}`])).stdout;
  };
  await run(phpProgram.path, [
    '-r',
    `define('WP_INSTALLING', true); $_SERVER['HTTP_HOST'] = '127.0.0.1'; require '${root}/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
     wp_install('Shop', 'admin', 'admin@example.com', true, '', '${password}'); switch_theme('plain');
     wp_insert_user(['user_login' => 'reader', 'user_pass' => '${password}', 'role' => 'subscriber']);`,
  ]);
  const server = spawn(phpProgram.path, ['-S', `127.0.0.1:${port}`, '-t', root], { stdio: 'ignore' });
  await eventually('WordPress answers', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );

  return {
    url,
    php,
    async complaints() {
      const log = await readFile(folder.file('log'), 'utf8').catch(() => '');
      return log.split('\n').filter((line) => line.includes(plugin));
    },
    async browser(name) {
      const browser = openBrowser(url);
      if (name !== undefined) {
        await browser.open('/wp-login.php');
        await browser.post('/wp-login.php', { log: name, pwd: password, testcookie: '1' });
      }
      return browser;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server, mariadb].map(stop));
      await folder.remove();
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Everything that WordPress would fetch from other hosts is switched off. */
function config(socket: string, url: string, log: string): string {
  const constants = {
    DB_NAME: 'shop',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: log,
    DISABLE_WP_CRON: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost',
  };
  const lines = Object.entries(constants).map(([name, value]) => `define('${name}', ${JSON.stringify(value)});`);
  return `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\ndefined('ABSPATH') || define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n`;
}

function openBrowser(url: string): WebBrowser {
  const cookies = new Map<string, string>();
  async function send(address: string, init: RequestInit = {}): Promise<Page> {
    const Cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { ...init, headers: { Cookie }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('Location');
    if (next !== null) return send(new URL(next, address).href);
    return { status: answer.status, url: address, text: await answer.text() };
  }
  const post = (address: string, values: Record<string, string>) =>
    send(address, { method: 'POST', body: new URLSearchParams(values) });
  return {
    open: (path) => send(new URL(path, `${url}/wp-admin/`).href),
    post: (path, values) => post(url + path, values),
    async submit(page, form, values = {}) {
      const [found = ''] = page.text.match(/<form[\s\S]*?<\/form>/g)?.filter((one) => form.test(one)) ?? [];
      const [, action = ''] = /action="([^"]*)"/.exec(found) ?? [];
      const fields = Array.from(found.matchAll(/<input[^>]*>/g), ([input]) => [
        /name=["']([^"']*)/.exec(input)?.[1] ?? '',
        /value=["']([^"']*)/.exec(input)?.[1] ?? '',
      ]);
      return post(new URL(action, page.url).href, { ...Object.fromEntries(fields), ...values });
    },
  };
}
