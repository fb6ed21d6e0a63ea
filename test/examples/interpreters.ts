import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { leaseVectors } from '../support/lease-vectors.ts';
import { requiredService } from '../support/required-service.ts';

const { url: php = 'php', skip: skipPhp } = requiredService('TEST_PHP', 'PHP');
const { url: python = 'python3', skip: skipPython } = requiredService('TEST_PYTHON', 'Python');

/** The path of a file of the examples. */
export const exampleFile = (path: string): string =>
  fileURLToPath(new URL(`../../apps/docs/examples/${path}`, import.meta.url));

/** A check of a license, as the drivers below read it. */
export interface Asked {
  readonly url: string;
  readonly key: string;
  readonly domain: string;
  /** Where the answer is kept. */
  readonly file: string;
  /** Seconds by which the clock is wrong. */
  readonly shift?: number;
  /** Seconds for one call. By default so many that a busy machine does not matter. */
  readonly timeout?: number;
  readonly act?: 'check' | 'fresh' | 'activate';
  /** Then it checks by leases of this issuer. */
  readonly publicKeys?: readonly string[];
  readonly issuer?: string;
  /** Never asks the server. */
  readonly offline?: boolean;
  /** A lease to begin with, or the path of a file that has it. */
  readonly lease?: string;
  readonly leaseFile?: string;
}

/** What a check or an activation returned. */
export interface Told {
  readonly state?: string;
  readonly reason?: string | null;
  readonly fromCache?: boolean;
  /** Seconds since 1970. */
  readonly leaseUntil?: number | null;
  readonly ok?: boolean;
}

export interface Interpreter {
  readonly name: string;
  readonly skip?: string | undefined;
  run(asked: Asked): Promise<Told>;
  /** The reason if it cannot check leases here. */
  readonly skipLeases?: string | undefined;
  /** Returns what it makes of each vector. */
  results(vectors: ReturnType<typeof leaseVectors>): Promise<readonly string[]>;
  /** The command that starts the site of the example. */
  site(port: number): readonly [program: string, args: readonly string[]];
}

const phpDriver = `require $argv[1];
$o = json_decode($argv[2]);
$l = new Latchkey($o->url, $o->key, $o->domain, new LatchkeyFile($o->file), timeout: $o->timeout, now: fn () => time() + $o->shift, publicKeys: $o->publicKeys, issuer: $o->issuer, offline: $o->offline, lease: $o->leaseFile === null ? $o->lease : new SplFileInfo($o->leaseFile));
echo json_encode($o->act === 'activate' ? $l->activate() : $l->check($o->act === 'fresh'));`;

const phpReader = `require $argv[1];
$v = json_decode($argv[2], true);
$results = [];
foreach ($v['cases'] as $case) {
  $o = $case + $v['site'];
  $lease = LatchkeyLease::read($o['lease'], $v['public_keys'], $o['issuer'], $o['domain'], $o['license_key']);
  $results[] = is_string($lease) ? $lease : $lease->faultAt($o['now']) ?? 'valid';
}
echo json_encode($results);`;

const pythonDriver = `import sys, json, time, pathlib
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from latchkey import Latchkey
o = json.loads(sys.argv[2])
l = Latchkey(o["url"], o["key"], o["domain"], o["file"], timeout=o["timeout"], now=lambda: time.time() + o["shift"], public_keys=o["publicKeys"], issuer=o["issuer"], offline=o["offline"], lease=pathlib.Path(o["leaseFile"]) if o["leaseFile"] else o["lease"])
v = l.activate() if o["act"] == "activate" else l.check(o["act"] == "fresh")
names = {"from_cache": "fromCache", "lease_until": "leaseUntil"}
print(json.dumps({names.get(n, n): x for n, x in vars(v).items()}))`;

const pythonReader = `import sys, json
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from latchkey import LeaseReader
v = json.loads(sys.argv[2])
results = []
for case in v["cases"]:
    o = {**v["site"], **case}
    lease = LeaseReader(v["public_keys"], o["issuer"], o["domain"], o["license_key"]).read(o["lease"])
    results.append(lease if isinstance(lease, str) else lease.fault_at(o["now"]) or "valid")
print(json.dumps(results))`;

async function output<Value>(program: string, args: readonly string[], input: object): Promise<Value> {
  const { stdout } = await promisify(execFile)(program, [...args, JSON.stringify(input)]);
  return JSON.parse(stdout);
}

const whole = (asked: Asked) => ({
  ...{
    shift: 0,
    timeout: 30,
    act: 'check',
    publicKeys: [],
    issuer: null,
    offline: false,
    lease: null,
    leaseFile: null,
  },
  ...asked,
});

const hasSodium = !skipPhp && spawnSync(php, ['-r', 'exit((int) !extension_loaded("sodium"));']).status === 0;

const withPhp = (name: string, skip: string | undefined, ...options: readonly string[]): Interpreter => ({
  name,
  skip,
  run: (asked) => output(php, [...options, '-r', phpDriver, exampleFile('php/latchkey.php')], whole(asked)),
  skipLeases: skip ?? (hasSodium ? undefined : 'this PHP has no sodium'),
  results: (vectors) => output(php, [...options, '-r', phpReader, exampleFile('php/latchkey.php')], vectors),
  site: (port) => [php, [...options, '-S', `127.0.0.1:${port}`, exampleFile('php/index.php')]],
});

const hasCryptography = !skipPython && spawnSync(python, ['-c', 'import cryptography']).status === 0;
const hasCurl = !skipPhp && spawnSync(php, ['-r', 'exit((int) !extension_loaded("curl"));']).status === 0;

export const interpreters: readonly Interpreter[] = [
  withPhp('PHP with curl', skipPhp ?? (hasCurl ? undefined : 'this PHP has no curl')),
  withPhp('PHP without curl', skipPhp, '-d', 'disable_functions=curl_init'),
  {
    name: 'Python',
    skip: skipPython,
    run: (asked) => output(python, ['-c', pythonDriver, exampleFile('python')], whole(asked)),
    skipLeases: skipPython ?? (hasCryptography ? undefined : 'this Python has no package `cryptography`'),
    results: (vectors) => output(python, ['-c', pythonReader, exampleFile('python')], vectors),
    site: () => [python, ['-B', exampleFile('python/app.py')]],
  },
];

export const phpProgram = { path: php, skip: skipPhp };
