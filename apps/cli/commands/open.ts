import type { Command } from 'commander';
import { show } from '../acting.ts';
import { findServer, type GlobalOptions } from '../connection.ts';
import { say } from '../output.ts';
import { Stop } from '../stop.ts';

/** The paths of the pages that it opens, by name. */
export const pages: Readonly<Record<string, string>> = {
  account: '/account',
  docs: '/docs',
  licenses: '/selling/live/licenses',
  orders: '/selling/live/orders',
  products: '/selling/live/products',
  reference: '/docs/reference',
  selling: '/selling/live',
  webhooks: '/selling/live/webhooks',
};

/** The program that opens an address in the browser of the person. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

export function openCommand(program: Command): void {
  program
    .command('open')
    .description('open a page of the site in your browser')
    .argument('[page]', `${Object.keys(pages).join(', ')}; default: the first page`)
    .option('--print', 'only print the address')
    .action(async function (this: Command) {
      const options = this.optsWithGlobals<GlobalOptions & { print?: boolean }>();
      const [page] = this.processedArgs as [string | undefined];
      const path = page === undefined ? '/' : pages[page];
      if (path === undefined) {
        throw new Stop('wrongUsage', `There is no page ${page}.`, `There are ${Object.keys(pages).join(', ')}.`);
      }
      const url = new URL(path, await findServer(options)).href;
      show(options, { url }, () => say(url));
      if (options.print || options.json) return;
      const [command = 'xdg-open', ...args] = openers[process.platform] ?? ['xdg-open'];
      const { spawn } = await import('node:child_process');
      const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
      // Without a browser, the printed address is enough.
      child.on('error', () => undefined);
      child.unref();
    });
}
