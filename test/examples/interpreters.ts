import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
}

/** What a check or an activation returned. */
export interface Told {
  readonly state?: string;
  readonly reason?: string | null;
  readonly fromCache?: boolean;
  readonly ok?: boolean;
}

export interface Interpreter {
  readonly name: string;
  readonly skip?: string | undefined;
  run(asked: Asked): Promise<Told>;
  /** The command that starts the site of the example. */
  site(port: number): readonly [program: string, args: readonly string[]];
}

const phpDriver = `require $argv[1];
$o = json_decode($argv[2]);
$l = new Latchkey($o->url, $o->key, $o->domain, new LatchkeyFile($o->file), timeout: $o->timeout, now: fn () => time() + $o->shift);
echo json_encode($o->act === 'activate' ? $l->activate() : $l->check($o->act === 'fresh'));`;

const pythonDriver = `import sys, json, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from latchkey import Latchkey
o = json.loads(sys.argv[2])
l = Latchkey(o["url"], o["key"], o["domain"], o["file"], timeout=o["timeout"], now=lambda: time.time() + o["shift"])
v = l.activate() if o["act"] == "activate" else l.check(o["act"] == "fresh")
print(json.dumps({("fromCache" if n == "from_cache" else n): x for n, x in vars(v).items()}))`;

async function run(program: string, args: readonly string[], asked: Asked): Promise<Told> {
  const { stdout } = await promisify(execFile)(program, [
    ...args,
    JSON.stringify({ shift: 0, timeout: 30, act: 'check', ...asked }),
  ]);
  return JSON.parse(stdout);
}

const withPhp = (name: string, skip: string | undefined, ...options: readonly string[]): Interpreter => ({
  name,
  skip,
  run: (asked) => run(php, [...options, '-r', phpDriver, exampleFile('php/latchkey.php')], asked),
  site: (port) => [php, [...options, '-S', `127.0.0.1:${port}`, exampleFile('php/index.php')]],
});

const hasCurl = !skipPhp && spawnSync(php, ['-r', 'exit((int) !extension_loaded("curl"));']).status === 0;

export const interpreters: readonly Interpreter[] = [
  withPhp('PHP with curl', skipPhp ?? (hasCurl ? undefined : 'this PHP has no curl')),
  withPhp('PHP without curl', skipPhp, '-d', 'disable_functions=curl_init'),
  {
    name: 'Python',
    skip: skipPython,
    run: (asked) => run(python, ['-c', pythonDriver, exampleFile('python')], asked),
    site: () => [python, ['-B', exampleFile('python/app.py')]],
  },
];

export const phpProgram = { path: php, skip: skipPhp };
