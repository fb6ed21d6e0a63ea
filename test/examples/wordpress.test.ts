import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Account, type AccountService, startAccountService } from '../adapters/http/account/account-service.ts';
import { type Service, startService } from '../adapters/http/license/license-service.ts';
import { answering, type Door, openDoor } from '../apps/sdk/door.ts';
import { operator } from '../support/by.ts';
import { formOf, listingForm } from '../support/forms.ts';
import { claimsOf, headerOf, signedBy, testKeys } from '../support/lease-vectors.ts';
import { needing, requiredService } from '../support/required-service.ts';
import { zipOf } from '../support/samples.ts';
import { exampleFile } from './interpreters.ts';
import { openWordPress, type WebBrowser, type WordPress } from './wordpress-site.ts';

const { url: source = '', skip } = requiredService('TEST_WORDPRESS', 'folder of a WordPress');
const settings = 'options-general.php?page=latchkey';
const day = 86_400_000;
const notice = 'This site has no valid license.';

// Both share one WordPress, because its start takes the longest.
needing(skip).describe('WordPress', () => {
  let wordpress: WordPress;
  before(async () => {
    wordpress = await openWordPress(source);
  });
  after(() => wordpress?.[Symbol.asyncDispose]());

  describe('the plugin of the examples', () => {
    let service: Service;
    let door: Door;
    let key: string;
    let owner: WebBrowser;
    let reader: WebBrowser;
    let visitor: WebBrowser;
    before(async () => {
      service = await startService({ now: new Date(), settings: { RATE_LIMIT_URL: 'off:' } });
      door = await openDoor(() => service.url);
      key = await service.license();
      [owner, reader, visitor] = [
        await wordpress.browser('admin'),
        await wordpress.browser('reader'),
        await wordpress.browser(),
      ];
    });
    after(async () => {
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

    it('checks leases once it has the public keys, and stays licensed by them while the server is away', async () => {
      const keys = testKeys('a key of a test');
      const leased = 'LIC-7H2K-9QWX-M4TB-C0VJ';
      const enter = async (publicKeys: string) =>
        owner.submit(await owner.open(settings), /latchkey_url/, {
          ...{ latchkey_url: door.url, latchkey_key: leased, latchkey_public_keys: publicKeys },
        });
      const stored = () => wordpress.php(`echo get_option('latchkey_public_keys');`);
      const give = (by: typeof keys) => {
        const claims = claimsOf(Math.floor(Date.now() / 1000), door.url, '127.0.0.1', leased);
        door.set(answering(200, { valid: true, lease: signedBy(by, headerOf(by), claims) }));
      };
      give(keys);
      await enter(` ${keys.publicKey}\n`);
      expect((await enter(`${keys.publicKey}\nx`)).text).to.include('The public keys are not changed');
      expect(await stored()).to.equal(keys.publicKey);
      expect((await owner.open(settings)).text).to.match(
        /Valid\. Its lease lasts until \w+ \d+, \d{4}, also if the server is away\./,
      );
      expect(door.calls.at(-1)).to.equal('GET /lease');
      expect(await wordpress.php('var_dump(latchkey_is_licensed(false));')).to.equal('bool(true)\n');
      // Answers without a lease that counts are none.
      for (const answer of [
        () => give(testKeys('another')),
        () => door.set(answering(200, { valid: true, license: { expires_at: null } })),
      ]) {
        answer();
        await wait();
        expect((await owner.open(settings)).text).to.include('The last answer still counts.');
      }
      await wordpress.php(`delete_option('latchkey_answer');`);
      expect((await owner.open(settings)).text).to.include('Unknown. The site works as usual.');
      expect(await wordpress.php('var_dump(latchkey_is_licensed(false));')).to.equal('bool(false)\n');
      door.set('open');
      await enter('');
      expect(await stored()).to.equal('');
      expect((await owner.open(settings)).text).to.include('Not valid. No license has this key.');
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

  describe('updates of a plugin that asks a store with EDD Software Licensing', () => {
    const plugin = fileURLToPath(new URL('tip-jar/tip-jar.php', import.meta.url));
    const updater = `require_once ABSPATH . 'wp-admin/includes/admin.php';
      require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';`;
    let service: AccountService;
    let ada: Account;
    let owner: WebBrowser;
    let key: string;
    before(async () => {
      service = await startAccountService();
      ada = await service.account();
      const root = await service.administrator();
      const files = { product_zip: await zipOfVersion('1.0') };
      const { status, text } = await ada.submit(
        '/api/marketplace/publish',
        listingForm({ title: 'Tip Jar', ...files }),
      );
      expect(status, text).to.equal(200);
      await service.products.change('tip-jar', 'approve', operator);
      await root.send('/api/products/tip-jar/adapters/edd', {
        ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
        body: JSON.stringify({ enabled: true, item_id: 8, tested: '6.0', requires_php: '7.4' }),
      });
      key = (await ada.post('/api/licenses', { product: 'tip-jar' })).body.data[0].key;
      await wordpress.php(`${updater}
        mkdir(WP_PLUGIN_DIR . '/tip-jar'); copy('${plugin}', WP_PLUGIN_DIR . '/tip-jar/tip-jar.php');
        update_option('tip_jar_store', '${service.url}/edd'); update_option('tip_jar_license', '${key}');
        activate_plugin('tip-jar/tip-jar.php');`);
      owner = await wordpress.browser('admin');
    });
    after(() => service?.close());

    const zipOfVersion = async (version: string) => {
      const content = (await readFile(plugin, 'utf8')).replace('Version: 1.0', `Version: ${version}`);
      return await zipOf([{ name: 'tip-jar/tip-jar.php', content }]);
    };
    async function release(number: string): Promise<void> {
      const form = formOf({ product_zip: await zipOfVersion(number), number, notes: `What is new in ${number}.` });
      const { status, text } = await ada.submit('/api/products/tip-jar/versions', form);
      expect(status, text).to.equal(200);
      await service.products.change('tip-jar', 'approve', operator);
    }
    const look = () => wordpress.php(`delete_site_transient('update_plugins'); wp_update_plugins();`);
    /** Presses "update now", and returns what came of it and the version after it. WordPress fetches no files from its own machine. */
    const update = () =>
      wordpress.php(`${updater} define('FS_METHOD', 'direct');
        add_filter('http_allowed_safe_ports', fn ($ports) => [...$ports, ${new URL(service.url).port}]);
        add_filter('http_request_host_is_external', '__return_true');
        $done = (new Plugin_Upgrader(new Automatic_Upgrader_Skin()))->bulk_upgrade(['tip-jar/tip-jar.php']);
        echo json_encode([is_array($done['tip-jar/tip-jar.php']),
          get_plugin_data(WP_PLUGIN_DIR . '/tip-jar/tip-jar.php')['Version']]);`);

    // Each test goes on where the one before ended.

    it('are shown, but not installed before the license is activated', async () => {
      await release('1.1');
      await look();
      expect((await owner.open('plugins.php')).text).to.include('There is a new version of Tip Jar available');
      expect(await update()).to.equal('[false,"1.0"]');
    });

    it('are installed once it is, and their details say what is new', async () => {
      const activated = await wordpress.php(`echo tip_jar_ask('activate_license')->license;`);
      expect(activated).to.equal('valid');
      await look();
      const details = 'plugin-install.php?tab=plugin-information&plugin=tip-jar&section=changelog';
      expect((await owner.open(details)).text)
        .to.include('What is new in 1.1.')
        .and.to.include('7.4 or higher');
      expect(await update()).to.equal('[true,"1.1"]');
      await look();
      expect((await owner.open('plugins.php')).text).to.not.include('There is a new version of Tip Jar available');
    });

    it('are shown but not installed after the updates of the license have ended', async () => {
      service.clock.advance(day);
      const updates_until = service.clock.now();
      await service.database.write((trx) => trx('licenses').where({ key }).update({ updates_until }));
      service.clock.advance(day);
      await release('1.2');
      await look();
      expect((await owner.open('plugins.php')).text)
        .to.include('There is a new version of Tip Jar available')
        .and.to.include('Automatic update is unavailable for this plugin');
      expect(await update()).to.equal('[false,"1.1"]');
    });
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
    const faults = Array.from(php.matchAll(/'(\w+_lease|wrong_\w+|clock_set_back)'/g), ([, fault]) => fault);
    expect(faults).to.include.members(['expired_lease', 'wrong_signature']);
    const [, list = ''] = /function latchkey_text\(.*?return \[(.*?)\]\[\$reason\]/s.exec(plugin) ?? [];
    const named = Array.from(list.matchAll(/^ +'(\w+)' => '/gm), ([, reason]) => reason);
    // If no response comes, a call returns `network` or `timeout`.
    expect(named).to.include.members([...reasons, ...faults, 'network', 'timeout']);
  });
});
