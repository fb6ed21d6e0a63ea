import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../wiring/config.ts';
import { site } from '../wiring/modules/site.ts';
import { version } from '../wiring/version.ts';

/**
 * Reports that the service listens: in a few readable lines on a terminal, unless LOG_FORMAT asks for something else,
 * and otherwise as a log line with these fields. The link for the set-up gets a line of its own.
 */
export function announce(log: Logger, config: Config, fields: object, setUpLink: string | undefined): void {
  const isForPeople = config.LOG_FORMAT === 'auto' && process.stdout.isTTY && log.isLevelEnabled('info');
  if (isForPeople) process.stdout.write(welcome(config, setUpLink));
  else {
    log.info(fields, 'listening');
    if (setUpLink !== undefined) log.info({ setUp: setUpLink }, 'open this link within 30 minutes to set up the site');
  }
}

/** The lines for people. They contain no passwords: of a Postgres and a bucket, only the kind and the name. */
export function welcome(
  { BASE_URL, VERIFY_URL, SURFACE, DATABASE_URL: database, FILES_URL: files }: Config,
  setUpLink?: string,
): string {
  const hasSite = site.servedBy.includes(SURFACE);
  const rows: [string, string][] = [
    ['Address', hasSite ? BASE_URL : VERIFY_URL],
    ...(hasSite ? [['Guides', `${BASE_URL}/docs`] satisfies [string, string]] : []),
    ['Database', placeOfDatabase(database)],
    ['Files', placeOfFiles(files)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}${value}\n`);
  const setUp =
    setUpLink === undefined ? '' : `Open this link within 30 minutes to set up the site:\n\n  ${setUpLink}\n\n`;
  return `\nLatchkey ${version} is running. Ctrl+C stops it.\n\n${lines.join('')}\n${setUp}`;
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
