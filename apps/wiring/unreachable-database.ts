import { StatementFailed } from '../../adapters/sql/statement-failed.ts';
import { codeOf, type NetworkTrouble, networkTroubleOf } from '../../adapters/system-error.ts';

/** A database server could not be opened. The message is one line with its address, the reason and the remedy. */
export class UnreachableDatabase extends Error {
  override readonly name = 'UnreachableDatabase';
}

interface Reason {
  readonly what: string;
  readonly remedy: string;
}

const noTls: Reason = {
  what: 'offers no TLS',
  remedy: 'Turn on ssl in Postgres, or take sslmode out of DATABASE_URL.',
};
const untrusted: Reason = {
  what: 'has a TLS certificate that is not trusted',
  remedy:
    'Add &sslrootcert=<file> with the certificate of its authority to DATABASE_URL, and use the host that the certificate names.',
};
const brokenTls: Reason = {
  what: 'fails to set up TLS',
  remedy: 'Check ssl in Postgres and sslmode in DATABASE_URL.',
};
const noPassword: Reason = {
  what: 'refuses the password',
  remedy: 'Correct user and password in DATABASE_URL; write %40 for @ in a password, and so on.',
};

const pooler: Reason = {
  what: 'is a pooler (such as PgBouncer) that refuses a parameter in DATABASE_URL',
  remedy:
    'Take it out of DATABASE_URL (options can be set for the user: ALTER ROLE … SET …), or add it to ignore_startup_parameters.',
};
const crowded: Reason = {
  what: 'is a pooler (such as PgBouncer) that has no connection left',
  remedy: 'Raise its max_client_conn or pool_size, or lower DATABASE_POOL_SIZE or WORKERS.',
};

const stopping: Reason = { what: 'is starting or stopping', remedy: 'Try again in a moment.' };
const locked: Reason = {
  what: 'did not finish a statement in time',
  remedy: 'Another program may lock its tables: let it end, or raise DATABASE_STATEMENT_TIMEOUT.',
};

const ofNetwork = {
  'unknown host': {
    what: 'cannot be found: its host is unknown',
    remedy: 'Correct the host in DATABASE_URL, or the name service of this machine.',
  },
  refused: {
    what: 'refuses connections',
    remedy: 'Start Postgres there, or correct host and port in DATABASE_URL.',
  },
  silent: {
    what: 'does not answer',
    remedy: 'Check host and port in DATABASE_URL, and the firewalls on the way.',
  },
  broken: {
    what: 'closes the connection at once',
    remedy: 'Check that it is Postgres that listens there, and read its log.',
  },
} as const satisfies Record<NetworkTrouble, Reason>;

/** The reasons by the error codes of Postgres. */
const reasons: Readonly<Record<string, Reason>> = {
  '28P01': noPassword,
  '28000': {
    what: 'does not accept this user',
    remedy: 'Correct the user in DATABASE_URL, or pg_hba.conf; if that requires TLS, add ?sslmode=verify-full.',
  },
  '3D000': {
    what: 'has no database of the name in DATABASE_URL',
    remedy: 'Create it (createdb), or correct the name.',
  },
  25006: {
    what: 'cannot be written: it is a standby, or default_transaction_read_only is on',
    remedy: 'Write the host of the primary into DATABASE_URL, or turn that setting off.',
  },
  42501: {
    what: 'does not allow this user to create or read the tables',
    remedy: 'Make the user of DATABASE_URL the owner of the database, or grant it the rights.',
  },
  53300: {
    what: 'has no connection left',
    remedy: 'Lower DATABASE_POOL_SIZE or WORKERS, or raise max_connections of Postgres.',
  },
  53100: { what: 'has no space left on its disk', remedy: 'Free some space there.' },
  '55P03': locked,
  57014: locked,
  '57P01': stopping,
  '57P03': stopping,
};

/** The reasons of errors without a code, by the message of the driver or the pooler. */
const messages: readonly (readonly [RegExp, Reason])[] = [
  [/unsupported startup parameter/, pooler],
  [/query_wait_timeout|max_client_conn/, crowded],
  [/does not support SSL/, noTls],
  [/establishing an SSL connection/, brokenTls],
  [/password must be a (?:non-empty )?string/, noPassword],
  [/timeout expired|timeout exceeded|Timeout acquiring|connection timeout|Query read timeout/, ofNetwork.silent],
  [/Connection terminated/, ofNetwork.broken],
];

const brokenTlsCode = /^(?:EPROTO$|ERR_SSL_)/;
const certificateCode = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** Returns why the Postgres server at `<host>:<port>` cannot be used, or `undefined` if the error is unknown. */
export function unreachable(error: unknown, server: string): UnreachableDatabase | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = codeOf(one) ?? '';
    const trouble = networkTroubleOf(one);
    const reason = trouble ? ofNetwork[trouble] : (reasonOf(code, one.message) ?? refusalBy(one));
    if (reason) {
      const shown = code === '' ? '' : ` (${code})`;
      const text = `The database server at ${server} ${reason.what}${shown}. ${reason.remedy}`;
      return new UnreachableDatabase(text, { cause: error });
    }
  }
  return undefined;
}

/** The message of Postgres, without the statement that knex puts before it. */
function refusalBy(error: Error): Reason | undefined {
  if (!(error instanceof StatementFailed)) return undefined;
  const message = error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return { what: `refuses a statement: ${message}`, remedy: 'Read its log.' };
}

function reasonOf(code: string, message: string): Reason | undefined {
  if (Object.hasOwn(reasons, code)) return reasons[code];
  if (brokenTlsCode.test(code)) return brokenTls;
  if (certificateCode.test(code)) return untrusted;
  return messages.find(([pattern]) => pattern.test(message))?.[1];
}
