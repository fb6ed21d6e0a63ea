import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { Unavailable } from '../../core/unavailable.ts';
import type { Parts } from '../wiring/compose.ts';
import type { Config } from '../wiring/config.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { version } from '../wiring/version.ts';

/**
 * Reports that the service listens: in a few readable lines on a terminal, unless LOG_FORMAT asks for something else,
 * and otherwise as a log line with these fields. The link for the set-up gets a line of its own.
 */
export function announce(log: Logger, config: Config, fields: object, link?: string): void {
  const isForPeople = config.LOG_FORMAT === 'auto' && process.stdout.isTTY && log.isLevelEnabled('info');
  if (isForPeople) process.stdout.write(welcome(config, link));
  else {
    log.info(fields, 'listening');
    if (link !== undefined) log.info({ setUp: link }, 'open this link within 30 minutes to set up the site');
  }
}

/** The lines for people. They contain no passwords: of a Postgres and a bucket, only the kind and the name. */
export function welcome(
  { BASE_URL, VERIFY_URL, SURFACE, DATABASE_URL: database, FILES_URL: files }: Config,
  link?: string,
): string {
  const hasSite = servesAccounts(SURFACE);
  const rows: [string, string][] = [
    ['Address', hasSite ? BASE_URL : VERIFY_URL],
    ...(hasSite ? [['Guides', `${BASE_URL}/docs`] satisfies [string, string]] : []),
    ['Database', placeOfDatabase(database)],
    ['Files', placeOfFiles(files)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}${value}\n`);
  const setUp = link === undefined ? '' : `Open this link within 30 minutes to set up the site:\n\n  ${link}\n\n`;
  return `\nLatchkey ${version} is running. Ctrl+C stops it.\n\n${lines.join('')}\n${setUp}`;
}

/**
 * Returns a link to the page that makes the first administrator, if there is no administrator and this process serves the
 * page. The link works for 30 minutes. If the database cannot be written, there is no link, but the server still starts.
 */
export async function setUpLink(parts: Parts, { SURFACE, BASE_URL }: Config): Promise<string | undefined> {
  if (!servesAccounts(SURFACE)) return undefined;
  try {
    const token = await (await parts.get(t.signUp)).setUpToken();
    return token && `${BASE_URL}/setup#${token}`;
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}

function placeOfDatabase(database: Config['DATABASE_URL']): string {
  switch (database.kind) {
    case 'memory':
      return 'in memory, lost when it stops';
    case 'sqlite':
      return resolve(database.path);
    case 'postgres':
      return 'Postgres';
  }
}

function placeOfFiles(files: Config['FILES_URL']): string {
  switch (files.kind) {
    case 'temporary':
      return 'in a temporary folder, lost when it stops';
    case 'disk':
      return resolve(files.folder);
    case 's3':
      return `s3://${files.location.bucket}`;
  }
}
