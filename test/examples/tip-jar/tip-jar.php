<?php
/**
 * Plugin Name: Tip Jar
 * Description: A plugin with a license and updates, written from the documented API of EDD Software Licensing.
 * Version: 1.0
 */

defined('ABSPATH') || exit;

const TIP_JAR = 'tip-jar/tip-jar.php';

/** Asks the store, and returns its answer. Without one: null. */
function tip_jar_ask(string $action, array $more = []): ?object
{
    $response = wp_remote_post(get_option('tip_jar_store'), ['timeout' => 60, 'body' => $more + [
        'edd_action' => $action,
        'license' => get_option('tip_jar_license'),
        'item_id' => 8,
        'url' => home_url(),
    ]]);
    $answer = json_decode(wp_remote_retrieve_body($response));
    return is_object($answer) ? $answer : null;
}

/** The newest version as WordPress wants it, or null. */
function tip_jar_latest(): ?object
{
    $installed = get_file_data(__FILE__, ['Version' => 'Version'])['Version'];
    $latest = tip_jar_ask('get_version', ['slug' => 'tip-jar', 'version' => $installed]);
    if ($latest === null || empty($latest->new_version)) {
        return null;
    }
    foreach (['sections', 'banners', 'icons'] as $name) {
        $latest->$name = maybe_unserialize($latest->$name);
    }
    $latest->plugin = TIP_JAR;
    $latest->version = $latest->new_version;
    return $latest;
}

add_filter('pre_set_site_transient_update_plugins', function ($updates) {
    $installed = get_file_data(__FILE__, ['Version' => 'Version'])['Version'];
    $latest = tip_jar_latest();
    if (is_object($updates) && $latest !== null && version_compare($installed, $latest->new_version, '<')) {
        $updates->response[TIP_JAR] = $latest;
    }
    return $updates;
});

add_filter('plugins_api', function ($result, $action, $wanted) {
    $isOurs = $action === 'plugin_information' && ($wanted->slug ?? '') === 'tip-jar';
    return $isOurs ? tip_jar_latest() ?? $result : $result;
}, 10, 3);
