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
    /** The issuer of leases. */
    private readonly string $issuer;
    private readonly Closure $send;
    private readonly Closure $now;
    private readonly string|SplFileInfo|null $given;

    /**
     * @param string $domain The domain of your site. Take it from your configuration: clients choose the Host header.
     * @param int $graceDays Days for which a valid license stays valid while the server gives no answer.
     * @param float $timeout Seconds for one call.
     * @param ?callable $send Calls the server, as latchkey_send() does.
     * @param ?callable $now Returns the time in seconds.
     * @param list<string> $publicKeys The public keys of the server, each 43 characters. Then only a lease that one of them
     *     has signed makes the license valid, until it ends, also if the server is away. Write the domain as the server
     *     does, such as `shop.example.com`. Build the keys into your code: who fetches them can be given others.
     * @param ?string $issuer The address at which the server itself knows its license API, if it is not $url.
     * @param string|SplFileInfo|null $lease A lease to begin with: its text, or a file that has it.
     * @param bool $offline Never asks the server. Only a lease, given or kept, makes the license valid. Needs $publicKeys.
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
        private readonly array $publicKeys = [],
        ?string $issuer = null,
        string|SplFileInfo|null $lease = null,
        private readonly bool $offline = false,
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
        if ($publicKeys === [] && ($offline || $lease !== null)) {
            throw new InvalidArgumentException('offline and lease need publicKeys.');
        }
        if ($publicKeys !== [] && !function_exists('sodium_crypto_sign_verify_detached')) {
            throw new InvalidArgumentException('publicKeys needs the extension sodium.');
        }
        foreach ($publicKeys as $key) {
            if (!is_string($key) || strlen((string) LatchkeyLease::bytes($key)) !== 32) {
                throw new InvalidArgumentException('publicKeys is wrong.');
            }
        }
        $this->issuer = rtrim($issuer ?? $url, '/');
        $this->given = $lease;
        // What was kept without leases does not count with them.
        $this->id = hash('sha256', ($publicKeys === [] ? '' : 'lease ') . "$url $licenseKey $domain");
        $this->send = Closure::fromCallable($send ?? 'latchkey_send');
        $this->now = Closure::fromCallable($now ?? 'time');
    }

    /** Returns what is known. Asks the server if the last answer is too old, or with $fresh. Never throws. */
    public function check(bool $fresh = false): LatchkeyVerdict
    {
        $kept = $this->known();
        if ($this->offline) {
            if (isset($kept['seen'])) {
                $this->stamp($kept);
            }
            return $this->peek();
        }
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
            $now = $this->known();
            $isNew = [$now['checked_at'] ?? 0, $now['ask_at'] ?? 0] !== [$kept['checked_at'] ?? 0, $kept['ask_at'] ?? 0];
            if ($now !== null && $this->isFresh($now, $fresh && !$isNew)) {
                return $this->verdict($now, true);
            }
            $query = http_build_query(['license_key' => $this->licenseKey, 'domain' => $this->domain]);
            $operation = $this->publicKeys === [] ? 'verify' : 'lease';
            $answer = $this->read($this->call('GET', "$operation?$query", null));
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
        $kept = $this->known();
        if ($kept === null) {
            return new LatchkeyVerdict('unknown', $this->offline ? 'no_lease' : null, null, (int) ($this->now)(), false);
        }
        return $this->verdict(($this->offline ? ['doubt' => null] : []) + $kept, true);
    }

    /**
     * Binds the license to the domain. Never throws. `reason` is the server's `error`, such as `domain_limit_reached`,
     * or why there is no answer, such as `offline`.
     *
     * @return array{ok: bool, domain?: string, reason?: string, message?: string}
     */
    public function activate(): array
    {
        if ($this->offline) {
            return ['ok' => false, 'reason' => 'offline'];
        }
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

    /** Reads the answer of `verify` or `lease`. Only the server's own words make a license valid or invalid. */
    private function read(array|string $reply): array
    {
        $body = is_array($reply) ? self::json($reply['text']) : [];
        $status = is_array($reply) ? $reply['status'] : 0;
        $valid = $body['valid'] ?? null;
        $error = $body['error'] ?? null;
        $license = $body['license'] ?? null;
        if ($this->publicKeys !== [] && $valid === true) {
            $text = $body['lease'] ?? null;
            $lease = $status === 200 && is_string($text) ? $this->lease($text) : 'bad_answer';
            $fault = is_string($lease) ? $lease : $lease->faultAt((int) ($this->now)());
            return $fault !== null
                ? ['state' => 'unknown', 'reason' => $fault, 'wait' => null]
                : ['state' => 'valid', 'expires_at' => $lease->expiresAt, 'lease' => $text, 'until' => $lease->until, 'issued' => $lease->issuedAt];
        }
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
            $issued = $before['issued'] ?? 0;
            if (($answer['issued'] ?? 0) > $issued) {
                // Only a lease that is newer than all before proves that a mark in the future was a mistake of the clock.
                $start['mark'] = max((int) ($this->now)(), $answer['issued']);
            } else {
                $answer['issued'] = $issued;
                $start['mark'] = max((int) ($this->now)(), $before['mark'] ?? 0);
                if ($start['mark'] >= ($answer['until'] ?? INF)) {
                    // An old lease comes again, while the clock is set back.
                    $answer = ['state' => 'unknown', 'fault' => 'expired_lease'] + $answer;
                }
            }
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
        $isInTime = $this->publicKeys !== [] || $kept['age'] < $this->graceDays * 86_400 || ($kept['doubt'] === null && $kept['age'] < $kept['ask_at']);
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
            $state === 'invalid' ? $kept['reason'] : $kept['doubt'] ?? ($state === 'unknown' ? $kept['fault'] ?? null : null),
            $state === 'valid' ? $kept['expires_at'] : null,
            (int) $kept['checked_at'],
            $fromCache && $state !== 'unknown',
            $state === 'valid' ? $kept['until'] ?? null : null,
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
        foreach (['mark', 'issued'] as $name) {
            $kept[$name] = is_int($kept[$name] ?? null) ? $kept[$name] : 0;
        }
        $passed = ($this->now)() - $kept['seen'];
        $kept = $passed >= 0
            ? ['age' => $kept['age'] + $passed] + $kept
            // The clock was set back while nobody looked. So nobody knows how old the answer is.
            : ['state' => $kept['state'] === 'valid' ? 'unknown' : $kept['state'], 'age' => 0, 'ask_at' => 0] + $kept;
        return $this->publicKeys === [] || $kept['state'] === 'invalid' ? $kept : $this->leased($kept);
    }

    /** Returns what is kept, or the given lease if it is newer. What the server said later counts more. */
    private function known(): ?array
    {
        $kept = $this->look();
        $text = $this->given instanceof SplFileInfo ? @file_get_contents($this->given->getPathname()) : $this->given;
        $text = trim((string) $text);
        if ($text === '') {
            return $kept;
        }
        $now = (int) ($this->now)();
        $lease = $this->lease($text);
        $start = ['state' => 'unknown', 'checked_at' => $now, 'age' => 0, 'ask_at' => 0, 'doubt' => null, 'held' => false, 'expires_at' => null];
        if (is_string($lease)) {
            return $kept ?? ['fault' => $lease] + $start;
        }
        $issued = $lease->issuedAt;
        $isLater = ($kept['state'] ?? null) !== 'invalid' || $issued > $kept['checked_at'] + LatchkeyLease::SKEW;
        if ($issued <= ($kept['issued'] ?? 0) || !$isLater) {
            return $kept;
        }
        $age = max(0, $now - $issued);
        $mark = max($now, $kept['mark'] ?? 0);
        $given = $this->leased(['checked_at' => $issued, 'age' => $age, 'ask_at' => $age, 'lease' => $text, 'issued' => $issued, 'mark' => $mark] + $start);
        if ($this->storage->lock()) {
            $this->keep($given);
            $this->storage->unlock();
        }
        return $given;
    }

    /** Decides by the kept lease, which others could have changed. The mark is the latest time that was ever seen. */
    private function leased(array $kept): array
    {
        $now = (int) ($this->now)();
        $mark = max($now, $kept['mark']);
        $lease = is_string($kept['lease'] ?? null) ? $this->lease($kept['lease']) : 'no_lease';
        $isBack = $now + LatchkeyLease::SKEW < $mark;
        $fault = is_string($lease) ? $lease : ($isBack ? 'clock_set_back' : $lease->faultAt($mark));
        $found = ['fault' => $fault, 'mark' => $mark];
        if ($fault !== null) {
            return $found + ['state' => 'unknown', 'ask_at' => $kept['doubt'] === null ? 0 : $kept['ask_at']] + $kept;
        }
        return $found + ['state' => 'valid', 'until' => $lease->until, 'expires_at' => $lease->expiresAt] + $kept;
    }

    private function lease(string $text): LatchkeyLease|string
    {
        return LatchkeyLease::read($text, $this->publicKeys, $this->issuer, $this->domain, $this->licenseKey);
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
     * @param ?int $leaseUntil If it is valid by a lease: when that ends, in seconds since 1970.
     */
    public function __construct(
        public readonly string $state,
        public readonly ?string $reason,
        public readonly ?int $expiresAt,
        public readonly int $checkedAt,
        public readonly bool $fromCache,
        public readonly ?int $leaseUntil = null,
    ) {
    }
}

/** A lease whose signature, issuer, domain and license are right. Times are in seconds since 1970. */
final class LatchkeyLease
{
    /** The clocks of the server and of the site may differ by so many seconds. */
    public const SKEW = 300;

    private function __construct(
        public readonly int $issuedAt,
        public readonly int $begin,
        public readonly int $until,
        public readonly ?int $expiresAt,
    ) {
    }

    /**
     * Returns the lease, or why it does not count, whatever the time is. Needs the extension sodium.
     *
     * @param list<string> $publicKeys
     */
    public static function read(string $text, array $publicKeys, string $issuer, string $domain, string $licenseKey): self|string
    {
        $parts = explode('.', $text);
        [$header, $claims, $signature] = count($parts) === 3 ? array_map(self::bytes(...), $parts) : ['', '', ''];
        $header = json_decode((string) $header, true);
        // `crit` names an extension that must be understood, which this code does not.
        if (($header['alg'] ?? null) !== 'EdDSA' || ($header['typ'] ?? null) !== 'latchkey-lease+jwt'
            || isset($header['crit']) || strlen((string) $signature) !== 64) {
            return 'malformed_lease';
        }
        $isSigned = false;
        foreach ($publicKeys as $key) {
            $isSigned = $isSigned || sodium_crypto_sign_verify_detached($signature, "$parts[0].$parts[1]", self::bytes($key));
        }
        if (!$isSigned) {
            return 'wrong_signature';
        }
        $claims = json_decode((string) $claims, true);
        $end = is_array($claims) && array_key_exists('expires_at', $claims) ? $claims['expires_at'] : false;
        $expiresAt = is_string($end) ? strtotime($end) : $end;
        $isWhole = ($claims['v'] ?? null) === 1 && ($expiresAt === null || is_int($expiresAt)) && is_string($claims['sub'] ?? null);
        foreach (['iat', 'nbf', 'exp'] as $name) {
            $isWhole = $isWhole && is_int($claims[$name] ?? null);
        }
        if (!$isWhole) {
            return 'malformed_lease';
        }
        return match (true) {
            ($claims['iss'] ?? null) !== $issuer => 'wrong_issuer',
            ($claims['aud'] ?? null) !== $domain => 'wrong_domain',
            self::bytes($claims['sub']) !== self::subject($licenseKey) => 'wrong_license',
            default => new self($claims['iat'], $claims['nbf'], $claims['exp'], $expiresAt),
        };
    }

    /** Why the lease does not count at this time, or null. */
    public function faultAt(int $now): ?string
    {
        if (max($this->issuedAt, $this->begin) > $now + self::SKEW) {
            return 'early_lease';
        }
        return $now < $this->until ? null : 'expired_lease';
    }

    /** The bytes of base64url, or null. */
    public static function bytes(string $text): ?string
    {
        $bytes = preg_match('/^[\w-]+$/D', $text) ? base64_decode(strtr($text, '-_', '+/'), true) : false;
        return $bytes === false ? null : $bytes;
    }

    /** The lease names the license by a digest of its key. Keys of Latchkey have one spelling, others stay as they are. */
    private static function subject(string $licenseKey): string
    {
        $line = implode('', array_map(trim(...), preg_split('/[\r\n]+/', $licenseKey)));
        $key = preg_match('/^LIC(?:-[A-Z0-9]{4}){4}$/Di', $line) ? strtoupper($line) : $licenseKey;
        return substr(hash('sha256', $key, true), 0, 16);
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
    private bool $isSafe = true;
    /** @var resource|null */
    private $lock = null;

    /** @param string $path Outside of the folder that the web server shows. Its folder is made if it is missing. */
    public function __construct(private readonly string $path)
    {
        $folder = dirname($path);
        if (!is_dir($folder) && !@mkdir($folder, 0700, true) && !is_dir($folder)) {
            error_log("latchkey: $folder cannot be made. Each request asks the server.");
        } elseif (!self::isOwn($folder)) {
            // Otherwise somebody else on this machine could write an answer into it.
            error_log("latchkey: $folder belongs to somebody else, or others can write to it. Each request asks the server.");
            $this->isSafe = false;
        }
    }

    private static function isOwn(string $folder): bool
    {
        $mine = function_exists('posix_geteuid') ? posix_geteuid() : getmyuid();
        return PHP_OS_FAMILY === 'Windows'
            || (in_array(@fileowner($folder), [$mine, 0], true) && (@fileperms($folder) & 0002) === 0);
    }

    public function get(): ?string
    {
        if (!$this->isSafe) {
            return $this->memory;
        }
        $text = $this->memory ?? @file_get_contents($this->path);
        return $text === false ? null : $text;
    }

    /** Writes another file and renames it, so that nobody reads half an answer. */
    public function set(string $text): void
    {
        if (!$this->isSafe) {
            $this->memory = $text;
            return;
        }
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
        $path = "{$this->path}.lock";
        $isNew = !file_exists($path);
        $file = $this->isSafe ? @fopen($path, 'c') : false;
        if ($file === false) {
            return true;
        }
        if ($isNew) {
            @chmod($path, 0600);
        }
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
