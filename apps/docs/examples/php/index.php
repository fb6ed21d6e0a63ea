<?php

declare(strict_types=1);

require __DIR__ . '/latchkey.php';

// Take the domain from your configuration, and never from the Host header, which clients choose.
$license = new Latchkey(
    getenv('LICENSE_URL') ?: 'https://licenses.example.com',
    getenv('LICENSE_KEY') ?: 'LIC-7H2K-9QWX-M4TB-C0VJ',
    getenv('LICENSE_DOMAIN') ?: 'shop.example.com',
    new LatchkeyFile(getenv('LICENSE_FILE') ?: '/var/lib/my-shop/license.json'),
);
$verdict = $license->check();

// The owner reads the log. Visitors see nothing of this.
if ($verdict->state !== 'valid') {
    error_log("License: $verdict->state ($verdict->reason)");
}

// Unknown is not invalid: the license server may be down, which is not the fault of the visitors.
$hasReports = $verdict->state !== 'invalid';

header('Content-Type: text/html; charset=utf-8');
?>
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>My shop</title>
<style>:root { color-scheme: light dark; font: 1rem/1.5 system-ui } body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>My shop</h1>
<p>This part works for everybody.</p>
<?php if ($hasReports) { ?>
<h2>Reports</h2>
<p>This part needs a license.</p>
<?php } ?>
</html>
