import type { z } from 'zod';
import { mistakeInPayments } from './payment-settings.ts';
import { asSandbox } from './sandbox-settings.ts';
import { type Variable, variables } from './settings.ts';

type Name = keyof typeof variables;
export type Config = { readonly [N in Name]: z.output<(typeof variables)[N]['schema']> } & {
  /** The values of the variables that are set, as they were given. They win over settings in the database. */
  readonly given: Readonly<Partial<Record<Name, string>>>;
};

/**
 * A setting is invalid. The message is one line that names the setting and says what it must be. It never contains the
 * value, which may be a secret.
 */
export class WrongSetting extends Error {
  override readonly name = 'WrongSetting';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. Throws `WrongSetting` for the first invalid one. */
export function readConfig(environment: Environment = process.env): Config {
  const config = readAsGiven(environment);
  return config.SANDBOX ? readAsGiven(asSandbox(environment, config)) : config;
}

function readAsGiven(environment: Environment): Config {
  const read = (name: Name) => {
    const { fallback, schema }: Variable = variables[name];
    const given = environment[name] || fallback;
    const result = schema.safeParse(given);
    if (!result.success) {
      const [issue] = result.error.issues;
      const mistake = issue?.code === 'custom' ? `: ${issue.message}` : '';
      throw new WrongSetting(`${name} must be ${schema.description}${mistake}.`);
    }
    return [name, result.data];
  };
  const names = Object.keys(variables) as Name[];
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const config = { ...Object.fromEntries(names.map(read)), given } as Config;
  if (config.DATABASE_READ_URL !== '' && config.DATABASE_URL.kind !== 'postgres') {
    throw new WrongSetting(
      'DATABASE_READ_URL is for Postgres only: leave it empty, or set DATABASE_URL to a Postgres server.',
    );
  }
  if (config.MAIL_URL.kind === 'smtp' && config.MAIL_FROM === undefined) {
    throw new WrongSetting(
      'MAIL_FROM is needed with a mail server: set it to the sender, such as latchkey@example.com.',
    );
  }
  const mistake = mistakeInPayments(config);
  if (mistake !== undefined) throw new WrongSetting(mistake);
  const baseUrl = config.BASE_URL || `http://localhost:${config.PORT}`;
  return { ...config, BASE_URL: baseUrl, VERIFY_URL: config.VERIFY_URL || baseUrl };
}

/** Reads the settings. Those in `given` override the environment. */
export function readConfigWith(given: Partial<Record<Name, string>>, environment: Environment = process.env): Config {
  return readConfig({ ...environment, ...given });
}

/** Stops the warning of the AWS SDK on standard error that it will drop Node 20. The deployment guide mentions this. */
export function silenceAwsWarning(): void {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
}

/** Returns the settings of a service with `PORT=0`, once its port is known. */
export function atPort(config: Config, port: number): Config {
  const at = (url: string) => (url === `http://localhost:${config.PORT}` ? `http://localhost:${port}` : url);
  return { ...config, BASE_URL: at(config.BASE_URL), VERIFY_URL: at(config.VERIFY_URL) };
}

/**
 * Returns the file descriptor of the port that systemd has opened for this process, if any. See `latchkey.socket` and
 * `man sd_listen_fds`. Workers inherit the variables, but not the process id.
 */
export function passedPort(
  { LISTEN_PID, LISTEN_FDS }: Readonly<Record<string, string | undefined>> = process.env,
  pid = process.pid,
): number | undefined {
  if (LISTEN_PID !== String(pid)) return undefined;
  if (LISTEN_FDS === '1') return 3; // The first that systemd passes.
  throw new WrongSetting(`systemd passes ${LISTEN_FDS} sockets, but the server takes one: name one ListenStream.`);
}
