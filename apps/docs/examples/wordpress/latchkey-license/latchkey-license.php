<?php
/**
 * Plugin Name: Latchkey License
 * Description: Checks the license of this site. Themes and other plugins ask latchkey_is_licensed().
 * Version: 1.0.0
 * Requires at least: 6.0
 * Requires PHP: 8.1
 * License: MIT
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

// Another plugin may have brought the class.
class_exists('Latchkey') || require_once __DIR__ . '/latchkey.php';

/** Keeps the answer in an option, and makes one request at a time ask, with the lock that WordPress uses for updates. */
final class Latchkey_Option implements LatchkeyStorage
{
    private const OPTION = 'latchkey_answer';

    public function get(): ?string
    {
        $text = get_option(self::OPTION);
        return is_string($text) ? $text : null;
    }

    public function set(string $text): void
    {
        update_option(self::OPTION, $text, false);
    }

    public function lock(): bool
    {
        require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
        // A request that ends early leaves the lock. It ends after a minute.
        $is_alone = (bool) WP_Upgrader::create_lock('latchkey', MINUTE_IN_SECONDS);
        // Meanwhile another request may have stored an answer, which get_option() would not see.
        wp_cache_delete(self::OPTION, 'options');
        wp_cache_delete('notoptions', 'options');
        return $is_alone;
    }

    public function unlock(): void
    {
        WP_Upgrader::release_lock('latchkey');
    }
}

/** Calls the license server, with the settings of this site for proxies and certificates. */
function latchkey_wp_send(string $method, string $url, ?string $body, float $timeout): array|string
{
    $answer = wp_remote_request($url, [
        'method' => $method,
        'timeout' => $timeout,
        'redirection' => $method === 'GET' ? 3 : 0,
        'headers' => ['Content-Type' => 'application/json', 'Accept' => 'application/json'],
        'body' => $body,
    ]);
    if (is_wp_error($answer)) {
        return str_contains($answer->get_error_message(), 'timed out') ? 'timeout' : 'network';
    }
    $later = wp_remote_retrieve_header($answer, 'retry-after');
    return [
        'status' => (int) wp_remote_retrieve_response_code($answer),
        'retry_after' => is_string($later) && $later !== '' ? $later : null,
        'text' => wp_remote_retrieve_body($answer),
    ];
}

/** Returns null until the settings are filled in, or if they are wrong. */
function latchkey_license(): ?Latchkey
{
    $url = (string) get_option('latchkey_url');
    $key = (string) get_option('latchkey_key');
    $domain = (string) wp_parse_url(home_url(), PHP_URL_HOST);
    if ($url === '' || $key === '' || $domain === '') {
        return null;
    }
    try {
        return new Latchkey($url, $key, $domain, new Latchkey_Option(), send: 'latchkey_wp_send', publicKeys: latchkey_public_keys());
    } catch (InvalidArgumentException $fault) {
        error_log($fault->getMessage());
        return null;
    }
}

/**
 * The public keys of the server. With them, only a signed lease makes the license valid, until it ends, also if the server is away.
 *
 * @return list<string>
 */
function latchkey_public_keys(): array
{
    return preg_split('/\s+/', (string) get_option('latchkey_public_keys'), -1, PREG_SPLIT_NO_EMPTY) ?: [];
}

/** Keeps the keys that are stored if one of those that were entered is no key: otherwise nothing would be checked. */
function latchkey_sanitize_keys(mixed $text): string
{
    $keys = preg_split('/[\s,]+/', (string) $text, -1, PREG_SPLIT_NO_EMPTY) ?: [];
    foreach ($keys as $key) {
        if (strlen((string) LatchkeyLease::bytes($key)) !== 32) {
            add_settings_error('latchkey', 'latchkey_public_keys', 'The public keys are not changed: each has 43 characters.');
            return (string) get_option('latchkey_public_keys');
        }
    }
    return implode("\n", array_unique($keys));
}

/**
 * For themes and other plugins: whether this site has a license. Never asks the server, so it costs visitors nothing.
 * Unknown is not invalid: the license server may be down. Pass false only if working without a license does real harm.
 */
function latchkey_is_licensed(bool $if_unknown = true): bool
{
    return match (latchkey_license()?->peek()->state) {
        'valid' => true,
        'invalid' => false,
        'unknown' => $if_unknown,
        default => false, // Nobody has entered a license key.
    };
}

/** What the administrator reads for the reasons that one can do something about. */
function latchkey_text(string $reason): string
{
    return [
        'invalid_key' => 'No license has this key. Compare it with the key in your order.',
        'invalid_domain' => 'The license is not activated on this domain. Activate it in the settings.',
        'expired' => 'The license has expired.',
        'suspended' => 'The license is suspended. Ask the seller.',
        'revoked' => 'The license was revoked. Ask the seller.',
        'domain_limit_reached' => 'All domains of the license are in use. Free one, or buy another license.',
        'free_domain_limit_reached' => 'The license is activated on too many local and preview hosts.',
        'refused' => 'The server does not accept the form of the key or the domain.',
        'bad_answer' => 'Something else than a license server answers. Look at the address.',
        'network' => 'The license server cannot be reached.',
        'timeout' => 'The license server does not answer in time.',
        'server_error' => 'The license server has a fault. Try again later.',
        'rate_limited' => 'There were too many calls. Try again later.',
        'rate_limit_exceeded' => 'There were too many calls. Try again later.',
        'no_lease' => 'The server has given no lease yet.',
        'expired_lease' => 'The lease of this site has ended, and the server gives no new one.',
        'early_lease' => 'The lease begins later: look at the clock of this machine.',
        'clock_set_back' => 'The clock of this machine is wrong: it was later before.',
        'wrong_signature' => 'The lease is not signed with the public keys. Compare them with those of the seller.',
        'wrong_domain' => 'The lease is for another domain.',
        'wrong_license' => 'The lease is for another license key.',
        'wrong_issuer' => 'The lease is from another server.',
        'malformed_lease' => 'What the server has given is no lease.',
        'domain_not_proven' => 'The seller asks for a proof that this domain is yours. The page of your order says what to publish.',
    ][$reason] ?? "The license server says: $reason.";
}

// Cron asks once an hour. Visitors start it, but do not wait for it.
add_action('latchkey_ask', static fn () => latchkey_license()?->check());
add_action('init', static function (): void {
    if (!wp_next_scheduled('latchkey_ask')) {
        wp_schedule_event(time() + HOUR_IN_SECONDS, 'hourly', 'latchkey_ask');
    }
});
register_deactivation_hook(__FILE__, static fn () => wp_clear_scheduled_hook('latchkey_ask'));
register_uninstall_hook(__FILE__, 'latchkey_uninstall');

function latchkey_uninstall(): void
{
    foreach (['latchkey_url', 'latchkey_key', 'latchkey_public_keys', 'latchkey_answer', 'latchkey.lock'] as $option) {
        delete_option($option);
    }
}

add_action('admin_init', static function (): void {
    register_setting('latchkey', 'latchkey_url', [
        'type' => 'string',
        'sanitize_callback' => static fn ($text) => untrailingslashit(sanitize_url(trim((string) $text), ['http', 'https'])),
    ]);
    register_setting('latchkey', 'latchkey_key', ['type' => 'string', 'sanitize_callback' => 'sanitize_text_field']);
    register_setting('latchkey', 'latchkey_public_keys', ['type' => 'string', 'sanitize_callback' => 'latchkey_sanitize_keys']);
});

add_action('admin_menu', static function (): void {
    add_options_page('License', 'License', 'manage_options', 'latchkey', 'latchkey_settings_page');
});

/** Only administrators see it, in the administration. */
add_action('admin_notices', static function (): void {
    if (!current_user_can('manage_options')) {
        return;
    }
    $verdict = latchkey_license()?->check();
    if ($verdict?->state === 'invalid') {
        printf(
            '<div class="notice notice-error"><p><strong>This site has no valid license.</strong> %s <a href="%s">License settings</a></p></div>',
            esc_html(latchkey_text($verdict->reason)),
            esc_url(admin_url('options-general.php?page=latchkey')),
        );
    }
});

function latchkey_settings_page(): void
{
    if (!current_user_can('manage_options')) {
        return;
    }
    $license = latchkey_license();
    $verdict = $license?->check();
    $domain = (string) wp_parse_url(home_url(), PHP_URL_HOST);
    $done = sanitize_key(wp_unslash($_GET['latchkey_done'] ?? ''));
    ?>
    <div class="wrap">
        <h1>License</h1>
        <?php if ($done === 'activated') { ?>
            <div class="notice notice-success"><p><?php echo esc_html("The license is activated on $domain."); ?></p></div>
        <?php } elseif ($done !== '') { ?>
            <div class="notice notice-error"><p>The license was not activated. <?php echo esc_html(latchkey_text($done)); ?></p></div>
        <?php } ?>
        <form method="post" action="<?php echo esc_url(admin_url('options.php')); ?>">
            <?php settings_fields('latchkey'); ?>
            <table class="form-table" role="presentation">
                <tr>
                    <th scope="row"><label for="latchkey_url">License server</label></th>
                    <td><input type="url" class="regular-text" id="latchkey_url" name="latchkey_url" required
                        placeholder="https://licenses.example.com" value="<?php echo esc_attr((string) get_option('latchkey_url')); ?>"></td>
                </tr>
                <tr>
                    <th scope="row"><label for="latchkey_key">License key</label></th>
                    <td><input type="text" class="regular-text code" id="latchkey_key" name="latchkey_key" required autocomplete="off"
                        value="<?php echo esc_attr((string) get_option('latchkey_key')); ?>"></td>
                </tr>
                <tr>
                    <th scope="row"><label for="latchkey_public_keys">Public keys of the server</label></th>
                    <td><textarea class="large-text code" id="latchkey_public_keys" name="latchkey_public_keys" rows="2" spellcheck="false"
                        aria-describedby="latchkey_public_keys_hint"><?php echo esc_textarea(implode("\n", latchkey_public_keys())); ?></textarea>
                        <p class="description" id="latchkey_public_keys_hint">Optional, one on each line. With them, only signed answers count,
                            and the site stays licensed while the server is away.</p></td>
                </tr>
                <tr>
                    <th scope="row">State</th>
                    <td><?php echo esc_html(latchkey_state_text($verdict)); ?></td>
                </tr>
            </table>
            <?php submit_button(); ?>
        </form>
        <?php if ($verdict !== null && $verdict->state !== 'valid') { ?>
            <h2>Activate this site</h2>
            <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
                <input type="hidden" name="action" value="latchkey_activate">
                <?php wp_nonce_field('latchkey_activate'); ?>
                <?php submit_button("Activate on $domain", 'secondary'); ?>
            </form>
        <?php } ?>
    </div>
    <?php
}

function latchkey_state_text(?LatchkeyVerdict $verdict): string
{
    if ($verdict === null) {
        return 'Enter the server and the key.';
    }
    $reason = $verdict->reason === null ? '' : ' ' . latchkey_text($verdict->reason);
    $day = static fn (int $time): string => (string) wp_date((string) get_option('date_format'), $time);
    $until = $verdict->expiresAt === null ? '' : ' until ' . $day($verdict->expiresAt);
    $lease = $verdict->leaseUntil === null ? '' : ' Its lease lasts until ' . $day($verdict->leaseUntil) . ', also if the server is away.';
    return match ($verdict->state) {
        'valid' => "Valid$until.$lease" . ($reason === '' ? '' : " The last answer still counts.$reason"),
        'invalid' => "Not valid.$reason",
        default => "Unknown. The site works as usual.$reason",
    };
}

add_action('admin_post_latchkey_activate', static function (): void {
    if (!current_user_can('manage_options')) {
        wp_die('You may not do this.', '', ['response' => 403]);
    }
    check_admin_referer('latchkey_activate');
    $done = latchkey_license()?->activate() ?? ['ok' => false, 'reason' => 'refused'];
    $result = $done['ok'] ? 'activated' : $done['reason'];
    wp_safe_redirect(add_query_arg('latchkey_done', rawurlencode($result), admin_url('options-general.php?page=latchkey')));
    exit;
});
