import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type Service, startService } from '../adapters/http/license/license-service.ts';
import { type Door, openDoor } from '../apps/sdk/door.ts';
import { operator } from '../support/by.ts';
import { needing, requiredService } from '../support/required-service.ts';
import { exampleFile } from './interpreters.ts';
import { openWordPress, type WebBrowser, type WordPress } from './wordpress-site.ts';

const { url: source = '', skip } = requiredService('TEST_WORDPRESS', 'folder of a WordPress');
const settings = 'options-general.php?page=latchkey';
const notice = 'This site has no valid license.';

needing(skip).describe('the plugin for WordPress', () => {
  let service: Service;
  let door: Door;
  let wordpress: WordPress;
  let key: string;
  let owner: WebBrowser;
  let reader: WebBrowser;
  let visitor: WebBrowser;
  before(async () => {
    service = await startService({ now: new Date(), settings: { RATE_LIMIT_URL: 'off:' } });
    door = await openDoor(() => service.url);
    key = await service.license();
    wordpress = await openWordPress(source);
    [owner, reader, visitor] = [
      await wordpress.browser('admin'),
      await wordpress.browser('reader'),
      await wordpress.browser(),
    ];
  });
  after(async () => {
    await wordpress?.[Symbol.asyncDispose]();
    await door[Symbol.asyncDispose]();
    await service.close();
  });

  /** Makes the kept answer two hours older. */
  const wait = () =>
    wordpress.php(`$kept = json_decode(get_option('latchkey_answer'), true);
      update_option('latchkey_answer', json_encode(['seen' => $kept['seen'] - 7200] + $kept));`);
  const save = async (url: string, licenseKey: string) =>
    owner.submit(await owner.open(settings), /latchkey_url/, { latchkey_url: url, latchkey_key: licenseKey });
  const isLicensed = async () => (await visitor.open('/')).text.includes('Reports');

  // The tests below go on where the one before ended.

  it('is activated in the list of plugins, and prints nothing unexpected', async () => {
    const { text } = await owner.open('plugins.php');
    const [, link = ''] = /href="(plugins\.php\?action=activate[^"]*latchkey[^"]*)"/.exec(text) ?? [];
    const activated = await owner.open(link.replaceAll('&amp;', '&'));
    expect(activated.text).to.include('Plugin activated').and.not.include('unexpected output');
    expect((await owner.open(settings)).text)
      .to.include('Enter the server and the key.')
      .and.not.include(notice);
    expect(await isLicensed()).to.equal(false);
  });

  it('has a notice for the administrator if the license is not activated here, and for nobody else', async () => {
    await save(door.url, key);
    const { text } = await owner.open('index.php');
    expect(text).to.include(notice).and.to.include('not activated on this domain');
    expect(await isLicensed()).to.equal(false);
    expect((await visitor.open('/')).text)
      .to.include('<h1>Shop</h1>')
      .and.not.include('icense');
    const profile = await reader.open('profile.php');
    expect(profile.status).to.equal(200);
    expect(profile.text).to.not.include(notice);
  });

  it('has a button that only administrators can press, on the page of the settings', async () => {
    const press = { action: 'latchkey_activate' };
    for (const browser of [reader, owner]) {
      expect((await browser.post('/wp-admin/admin-post.php', press)).status).to.equal(403);
    }
    expect((await visitor.post('/wp-admin/admin-post.php', press)).text).to.not.include('activated');
    expect((await reader.open(settings)).status).to.equal(403);
    expect(door.calls).to.not.include('POST /activate');
  });

  it('activates the site with the button', async () => {
    const done = await owner.submit(await owner.open(settings), /latchkey_activate/);
    expect(done.text).to.include('The license is activated on 127.0.0.1.').and.to.include('Valid.');
    expect(done.text).to.not.include('Activate this site');
    expect((await owner.open('index.php')).text).to.not.include(notice);
    expect(await isLicensed()).to.equal(true);
  });

  it('asks the server once an hour, and never for a visitor', async () => {
    const before = door.calls.length;
    await owner.open('index.php');
    await wait();
    for (let visit = 0; visit < 3; visit++) expect(await isLicensed()).to.equal(true);
    expect(door.calls).to.have.length(before);
    await Promise.all(Array.from({ length: 5 }, () => owner.open('index.php')));
    expect(door.calls).to.have.length(before + 1);
  });

  it('goes on while the server is down, and tells the administrator why on the page of the settings', async () => {
    door.set('cut');
    await wait();
    expect((await owner.open('index.php')).text).to.not.include(notice);
    expect((await owner.open(settings)).text).to.include('The last answer still counts. The license server cannot');
    expect(await isLicensed()).to.equal(true);
  });

  it('notices a revoked license by cron', async () => {
    door.set('open');
    await service.issuing.change(key, 'revoke', operator);
    await wait();
    const printed = await wordpress.php(
      `var_dump(wp_next_scheduled('latchkey_ask') > time()); do_action('latchkey_ask');`,
    );
    expect(printed).to.equal('bool(true)\n');
    expect(await isLicensed()).to.equal(false);
    expect((await owner.open('index.php')).text)
      .to.include(notice)
      .and.to.include('The license was revoked.');
  });

  it('says why an activation failed', async () => {
    const full = await service.license();
    await service.post('/activate', { license_key: full, domain: 'other.example.com' });
    await save(door.url, full);
    const { text } = await owner.submit(await owner.open(settings), /latchkey_activate/);
    expect(text).to.include('was not activated').and.to.include('All domains of the license are in use.');
  });

  it('goes on while the license is unknown, unless the caller wants otherwise', async () => {
    door.set('hung');
    await save(door.url, await service.license());
    expect((await owner.open(settings)).text)
      .to.include('Unknown. The site works as usual.')
      .and.to.include('in time');
    expect(await isLicensed()).to.equal(true);
    expect(await wordpress.php('var_dump(latchkey_is_licensed(false));')).to.equal('bool(false)\n');
  });

  it('escapes what was entered, and takes no other addresses than those of the web', async () => {
    door.set('open');
    await wordpress.php(`update_option('latchkey_key', '"><script>alert(1)</script>');`);
    const { text } = await owner.open(`${settings}&latchkey_done=<script>alert(2)</script>`);
    expect(text).to.include('&quot;&gt;&lt;script&gt;alert(1)').and.not.include('<script>alert(');
    await save('javascript:alert(1)', 'LIC');
    expect(await wordpress.php(`var_dump(get_option('latchkey_url'));`)).to.equal('string(0) ""\n');
  });

  it('causes no warnings of PHP', async () => {
    expect(await wordpress.complaints()).to.deep.equal([]);
  });

  it('leaves nothing behind when it is deleted', async () => {
    const printed = await wordpress.php(`require ABSPATH . 'wp-admin/includes/plugin.php';
      deactivate_plugins('latchkey-license/latchkey-license.php'); uninstall_plugin('latchkey-license/latchkey-license.php');
      var_dump(wp_next_scheduled('latchkey_ask'), $wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'latchkey%'"));`);
    expect(printed).to.equal('bool(false)\narray(0) {\n}\n');
  });
});

describe('the texts of the plugin for WordPress', () => {
  it('has one for each reason that latchkey.php gives if there is no answer', async () => {
    const [php = '', plugin = ''] = await Promise.all(
      ['php/latchkey.php', 'wordpress/latchkey-license/latchkey-license.php'].map((path) =>
        readFile(exampleFile(path), 'utf8'),
      ),
    );
    const [, doubt = ''] = /function doubt\(.*?match \(true\) \{(.*?)\};/s.exec(php) ?? [];
    const reasons = Array.from(doubt.matchAll(/=> '(\w+)',$/gm), ([, reason]) => reason);
    expect(reasons).to.include.members(['server_error', 'bad_answer']);
    const [, list = ''] = /function latchkey_text\(.*?return \[(.*?)\]\[\$reason\]/s.exec(plugin) ?? [];
    const named = Array.from(list.matchAll(/^ +'(\w+)' => '/gm), ([, reason]) => reason);
    // If no response comes, a call returns `network` or `timeout`.
    expect(named).to.include.members([...reasons, 'network', 'timeout']);
  });
});
