<?php

declare(strict_types=1);

/**
 * Checks a license of Latchkey. One file, PHP 8.1 or later, no packages. Copy it into your project.
 *
 *     $license = new Latchkey('https://licenses.example.com', $key, 'shop.example.com', new LatchkeyFile('/var/lib/shop/license.json'));
 *     if ($license->check()->state === 'invalid') { … }
 */
final class Latchkey
{
    private const HOUR = 3600;
    /** No Retry-After silences the check for longer than this. */
    private const LONGEST_PAUSE = 3600;
    /** How often the time is stored, in seconds, so that a later reader sees that the clock was set back. */
    private const STEP = 60;

    /** Answers are kept for this server, key and domain only. */
    private readonly string $id;
    private readonly Closure $send;
    private readonly Closure $now;

    /**
     * @param string $domain The domain of your site. Take it from your configuration: clients choose the Host header.
     * @param int $graceDays Days for which a valid license stays valid while the server gives no answer.
     * @param float $timeout Seconds for one call.
     * @param ?callable $send Calls the server, as latchkey_send() does.
     * @param ?callable $now Returns the time in seconds.
     */
    public function __construct(
        private readonly string $url,
        private readonly string $licenseKey,
        private readonly string $domain,
        private readonly LatchkeyStorage $storage,
        private readonly int $graceDays = 7,
        private readonly float $timeout = 3.0,
        ?callable $send = null,
        ?callable $now = null,
    ) {
        if (!preg_match('~^https?://[^\s\x00-\x1f]+$~Di', $url)) {
            throw new InvalidArgumentException('url is missing or wrong.');
        }
        if ($licenseKey === '') {
            throw new InvalidArgumentException('licenseKey is missing.');
        }
        if ($domain === '') {
            throw new InvalidArgumentException('domain is missing.');
        }
        $this->id = hash('sha256', "$url $licenseKey $domain");
        $this->send = Closure::fromCallable($send ?? 'latchkey_send');
        $this->now = Closure::fromCallable($now ?? 'time');
    }

    /** Returns what is known. Asks the server if the last answer is too old, or with $fresh. Never throws. */
    public function check(bool $fresh = false): LatchkeyVerdict
    {
        $kept = $this->look();
        if ($kept !== null && $this->isFresh($kept, $fresh)) {
            $this->stamp($kept);
            return $this->verdict($kept, true);
        }
        $isAlone = $this->storage->lock();
        if (!$isAlone && !$fresh && $kept !== null && $this->state($kept) !== 'unknown') {
            // Another request asks the server. Visitors of this one need not wait for that.
            return $this->verdict($kept, true);
        }
        $isAlone = $isAlone || $this->waitForLock();
        try {
            // Meanwhile another request may have asked.
            $now = $this->look();
            $isNew = [$now['checked_at'] ?? 0, $now['ask_at'] ?? 0] !== [$kept['checked_at'] ?? 0, $kept['ask_at'] ?? 0];
            if ($now !== null && $this->isFresh($now, $fresh && !$isNew)) {
                return $this->verdict($now, true);
            }
            $query = http_build_query(['license_key' => $this->licenseKey, 'domain' => $this->domain]);
            $answer = $this->read($this->call('GET', "verify?$query", null));
            $kept = $this->after($answer, $now);
            $this->keep($kept);
            return $this->verdict($kept, $answer['state'] === 'unknown');
        } finally {
            if ($isAlone) {
                $this->storage->unlock();
            }
        }
    }

    /** Returns what is known without asking the server. Never waits. */
    public function peek(): LatchkeyVerdict
    {
        $kept = $this->look();
        return $kept === null
            ? new LatchkeyVerdict('unknown', null, null, (int) ($this->now)(), false)
            : $this->verdict($kept, true);
    }

    /**
     * Binds the license to the domain. Never throws. `reason` is the server's `error`, such as `domain_limit_reached`,
     * or why there is no answer.
     *
     * @return array{ok: bool, domain?: string, reason?: string, message?: string}
     */
    public function activate(): array
    {
        $fields = ['license_key' => $this->licenseKey, 'domain' => $this->domain];
        // Otherwise a check that runs now could keep an answer from before.
        $isAlone = $this->waitForLock();
        try {
            $reply = $this->call('POST', 'activate', json_encode($fields, JSON_INVALID_UTF8_SUBSTITUTE));
            $body = is_array($reply) ? self::json($reply['text']) : [];
            $domain = $body['domain'] ?? null;
            if (is_array($reply) && $reply['status'] === 200 && ($body['success'] ?? null) === true && is_string($domain)) {
                $this->keep($this->after(['state' => 'unknown', 'reason' => 'network', 'wait' => 0], null));
                return ['ok' => true, 'domain' => $domain];
            }
        } finally {
            if ($isAlone) {
                $this->storage->unlock();
            }
        }
        $error = $body['error'] ?? null;
        $message = $body['message'] ?? null;
        return ['ok' => false, 'reason' => is_string($error) ? $error : $this->doubt($reply)['reason']]
            + (is_string($message) ? ['message' => $message] : []);
    }

    /** Waits until no other request calls the server. Returns false if that takes too long. */
    private function waitForLock(): bool
    {
        $end = hrtime(true) + (int) (3e9 * $this->timeout);
        while (!$this->storage->lock()) {
            if (hrtime(true) > $end) {
                return false;
            }
            usleep(50_000);
        }
        return true;
    }

    /**
     * Calls once more if the first call brought no answer. Not if the server limits calls or names a time: then
     * another call would do harm.
     */
    private function call(string $method, string $path, ?string $body): array|string
    {
        $url = rtrim($this->url, '/') . "/$path";
        $reply = ($this->send)($method, $url, $body, $this->timeout);
        $doubt = $this->doubt($reply);
        if (!in_array($doubt['reason'], ['network', 'timeout', 'server_error'], true) || $doubt['wait'] !== null) {
            return $reply;
        }
        usleep(random_int(200_000, 700_000));
        return ($this->send)($method, $url, $body, $this->timeout);
    }

    /** Reads the answer of `verify`. Only the server's own words make a license valid or invalid. */
    private function read(array|string $reply): array
    {
        $body = is_array($reply) ? self::json($reply['text']) : [];
        $status = is_array($reply) ? $reply['status'] : 0;
        $valid = $body['valid'] ?? null;
        $error = $body['error'] ?? null;
        $license = $body['license'] ?? null;
        if ($status === 200 && $valid === true && is_array($license) && array_key_exists('expires_at', $license)) {
            $until = $license['expires_at'];
            $time = is_string($until) ? strtotime($until) : false;
            if ($until === null || $time !== false) {
                return ['state' => 'valid', 'expires_at' => $until === null ? null : $time];
            }
        }
        // 404 has other causes too: a wrong address, or a proxy.
        if ($valid === false && is_string($error) && ($status === 200 || ($status === 404 && $error === 'invalid_key'))) {
            return ['state' => 'invalid', 'reason' => $error];
        }
        return $this->doubt($reply);
    }

    /** Why a reply is not what was asked for. */
    private function doubt(array|string $reply): array
    {
        if (is_string($reply)) {
            return ['state' => 'unknown', 'reason' => $reply, 'wait' => null];
        }
        $status = $reply['status'];
        $reason = match (true) {
            $status === 429 => 'rate_limited',
            $status >= 500, $status === 408 => 'server_error',
            $status === 422 => 'refused',
            default => 'bad_answer',
        };
        $later = $reply['retry_after'];
        $wait = null;
        if ($later !== null && $later !== '') {
            $date = ctype_digit($later) ? (float) $later : strtotime($later);
            $wait = $date === false ? null : ($date - (ctype_digit($later) ? 0 : ($this->now)()));
        }
        return ['state' => 'unknown', 'reason' => $reason, 'wait' => $wait === null ? null : min(max($wait, 1), self::LONGEST_PAUSE)];
    }

    /** What is kept after an answer. Ages count from the answer: a clock that is set back makes none smaller. */
    private function after(array $answer, ?array $before): array
    {
        $chance = random_int(0, 999_999) / 1e6;
        $start = ['checked_at' => ($this->now)(), 'age' => 0, 'doubt' => null, 'held' => false];
        if ($answer['state'] !== 'unknown') {
            return $answer + $start + ['ask_at' => self::HOUR * (1 - 0.2 * $chance)];
        }
        $kept = $before ?? ['state' => 'unknown'] + $start;
        $pause = $answer['wait'] ?? 30 * (1 + $chance);
        return ['ask_at' => $kept['age'] + $pause, 'doubt' => $answer['reason'], 'held' => $answer['wait'] !== null] + $kept;
    }

    /** Whether the server need not be asked. $isForced asks it anyway, except while the server wants a pause. */
    private function isFresh(array $kept, bool $isForced): bool
    {
        if ($kept['age'] >= $kept['ask_at'] || ($isForced && !$kept['held'])) {
            return false;
        }
        return $kept['state'] !== 'valid' || $kept['doubt'] !== null || $kept['age'] < self::life($kept);
    }

    private function state(array $kept): string
    {
        if ($kept['state'] === 'invalid') {
            return 'invalid';
        }
        $isInTime = $kept['age'] < $this->graceDays * 86_400 || ($kept['doubt'] === null && $kept['age'] < $kept['ask_at']);
        return $kept['state'] === 'valid' && $kept['age'] < self::life($kept) && $isInTime ? 'valid' : 'unknown';
    }

    /**
     * Seconds from the answer to the end of the license. If it has ended by this clock, while the server called it
     * valid, then this clock is wrong, and says nothing about the end.
     */
    private static function life(array $kept): float
    {
        $end = $kept['expires_at'] ?? null;
        return $end !== null && $end > $kept['checked_at'] ? $end - $kept['checked_at'] : INF;
    }

    private function verdict(array $kept, bool $fromCache): LatchkeyVerdict
    {
        $state = $this->state($kept);
        return new LatchkeyVerdict(
            $state,
            $state === 'invalid' ? $kept['reason'] : $kept['doubt'],
            $state === 'valid' ? $kept['expires_at'] : null,
            (int) $kept['checked_at'],
            $fromCache && $state !== 'unknown',
        );
    }

    /** Returns what is kept, with its age now. Anything that this class did not write counts as nothing. */
    private function look(): ?array
    {
        $kept = self::json($this->storage->get() ?? '');
        foreach (['checked_at', 'age', 'ask_at', 'seen'] as $name) {
            if (!is_int($kept[$name] ?? null) && !is_float($kept[$name] ?? null)) {
                return null;
            }
        }
        $end = $kept['expires_at'] ?? null;
        $isWhole = match ($kept['state'] ?? null) {
            'valid' => $end === null || is_int($end),
            'invalid' => is_string($kept['reason'] ?? null),
            'unknown' => true,
            default => false,
        };
        if (!$isWhole || ($kept['for'] ?? null) !== $this->id) {
            return null;
        }
        $kept = ['doubt' => is_string($kept['doubt'] ?? null) ? $kept['doubt'] : null, 'held' => ($kept['held'] ?? null) === true, 'expires_at' => $end] + $kept;
        $passed = ($this->now)() - $kept['seen'];
        if ($passed >= 0) {
            return ['age' => $kept['age'] + $passed] + $kept;
        }
        // The clock was set back while nobody looked. So nobody knows how old the answer is.
        return ['state' => $kept['state'] === 'valid' ? 'unknown' : $kept['state'], 'age' => 0, 'ask_at' => 0] + $kept;
    }

    private function keep(array $kept): void
    {
        $this->storage->set(json_encode(['for' => $this->id, 'seen' => ($this->now)()] + $kept));
    }

    /** Stores the time now and then, unless another request is about to store an answer. */
    private function stamp(array $kept): void
    {
        if (($this->now)() - $kept['seen'] <= self::STEP || !$this->storage->lock()) {
            return;
        }
        $newest = $this->look();
        if ($newest !== null) {
            $this->keep($newest);
        }
        $this->storage->unlock();
    }

    private static function json(string $text): array
    {
        $value = json_decode($text, true);
        return is_array($value) ? $value : [];
    }
}

/** What is known about a license. */
final class LatchkeyVerdict
{
    /**
     * @param string $state `valid`, `invalid` or `unknown`. Unknown means: no answer, and no earlier one that still counts.
     * @param ?string $reason If invalid: the server's `error`, such as `expired`. Otherwise: why the last call brought no answer.
     * @param ?int $expiresAt Seconds since 1970. Null for a perpetual license.
     * @param int $checkedAt Time of the server's answer. If it never gave one: of the first call.
     */
    public function __construct(
        public readonly string $state,
        public readonly ?string $reason,
        public readonly ?int $expiresAt,
        public readonly int $checkedAt,
        public readonly bool $fromCache,
    ) {
    }
}

/** Where the last answer is kept. No function may throw. */
interface LatchkeyStorage
{
    public function get(): ?string;

    public function set(string $text): void;

    /** Tries to become the only one that asks the server. Never waits. Returns false if another one is. */
    public function lock(): bool;

    public function unlock(): void;
}

/** Keeps the answer in a file that only the user of the web server can read. Use one file for each license. */
final class LatchkeyFile implements LatchkeyStorage
{
    /** Used only while the file cannot be written. */
    private ?string $memory = null;
    /** @var resource|null */
    private $lock = null;

    /** @param string $path Outside of the folder that the web server shows. Its folder is made if it is missing. */
    public function __construct(private readonly string $path)
    {
        $folder = dirname($path);
        if (!is_dir($folder) && !@mkdir($folder, 0700, true) && !is_dir($folder)) {
            error_log("latchkey: $folder cannot be made. Each request asks the server.");
        }
    }

    public function get(): ?string
    {
        $text = $this->memory ?? @file_get_contents($this->path);
        return $text === false ? null : $text;
    }

    /** Writes another file and renames it, so that nobody reads half an answer. */
    public function set(string $text): void
    {
        $folder = dirname($this->path);
        // In a folder that cannot be written, tempnam() would choose another one.
        $new = is_writable($folder) ? @tempnam($folder, 'latchkey-') : false;
        if ($new !== false && @chmod($new, 0600) && @file_put_contents($new, $text) === strlen($text) && @rename($new, $this->path)) {
            $this->memory = null;
            return;
        }
        if ($new !== false) {
            @unlink($new);
        }
        $this->memory = $text;
        error_log("latchkey: {$this->path} cannot be written. Each request asks the server.");
    }

    public function lock(): bool
    {
        $file = @fopen("{$this->path}.lock", 'c');
        if ($file === false) {
            return true;
        }
        @chmod("{$this->path}.lock", 0600);
        if (!flock($file, LOCK_EX | LOCK_NB)) {
            return false;
        }
        $this->lock = $file;
        return true;
    }

    /** The system does this too if the process ends early. */
    public function unlock(): void
    {
        $this->lock = null;
    }
}

/**
 * Calls the server once, with curl if PHP has it. Returns its answer, or `network` or `timeout`.
 *
 * @return array{status: int, retry_after: ?string, text: string}|string
 */
function latchkey_send(string $method, string $url, ?string $body, float $timeout): array|string
{
    if (!function_exists('curl_init')) {
        return latchkey_send_by_stream($method, $url, $body, $timeout);
    }
    $retryAfter = null;
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Accept: application/json'],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FOLLOWLOCATION => $method === 'GET',
        CURLOPT_MAXREDIRS => 3,
        CURLOPT_NOSIGNAL => true,
        CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000),
        CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$retryAfter): int {
            if (stripos($line, 'retry-after:') === 0) {
                $retryAfter = trim(substr($line, 12));
            }
            return strlen($line);
        },
    ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
    $text = curl_exec($curl);
    if (!is_string($text)) {
        return curl_errno($curl) === CURLE_OPERATION_TIMEDOUT ? 'timeout' : 'network';
    }
    return ['status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'retry_after' => $retryAfter, 'text' => $text];
}

/** The same without curl. The time counts for connecting, and for each part of the answer that arrives. */
function latchkey_send_by_stream(string $method, string $url, ?string $body, float $timeout): array|string
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => "Content-Type: application/json\r\nAccept: application/json\r\nConnection: close\r\n",
        'content' => $body ?? '',
        'timeout' => $timeout,
        'ignore_errors' => true,
        'follow_location' => $method === 'GET' ? 1 : 0,
        'max_redirects' => 4,
    ]]);
    $start = hrtime(true);
    $text = @file_get_contents($url, false, $context);
    $seconds = (hrtime(true) - $start) / 1e9;
    $status = 0;
    $retryAfter = null;
    foreach ($http_response_header ?? [] as $line) {
        if (preg_match('~^HTTP/\S+ (\d{3})~', $line, $found)) {
            [$status, $retryAfter] = [(int) $found[1], null];
        } elseif (stripos($line, 'retry-after:') === 0) {
            $retryAfter = trim(substr($line, 12));
        }
    }
    if ($seconds >= $timeout) {
        return 'timeout';
    }
    if ($text === false || $status === 0) {
        return 'network';
    }
    return ['status' => $status, 'retry_after' => $retryAfter, 'text' => $text];
}
