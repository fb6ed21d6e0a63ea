import { type Command, Option } from 'commander';
import { type Given, wholeNumber } from '../acting.ts';
import { note, say } from '../output.ts';
import { type Scenario, scenarios, switchPath } from '../scenarios.ts';

interface SimulateOptions {
  readonly scenario: Scenario;
  readonly port: number;
  readonly maxDomains: number;
  readonly delay: number;
}

/** A license server for tests of sites. */
export function simulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('start a license server in memory, with a license in the state that you want to try')
    .addOption(new Option('--scenario <name>', 'what it answers').choices(scenarios).default('valid'))
    .option('--port <number>', 'on this port; 0: any free one', wholeNumber(0, 65_535), 0)
    .option('--max-domains <number>', 'the domains of the license', wholeNumber(1, 1_000_000), 1_000)
    .option('--delay <seconds>', 'how long the scenario slow waits', wholeNumber(1, 600), 30)
    .action(async function (this: Command) {
      const { json, ...options } = this.optsWithGlobals<Given<SimulateOptions>>();
      const { simulate } = await import('../simulate.ts');
      const { url, key, close } = await simulate({ ...options, delay: options.delay * 1_000 });
      // One line, so that a program knows when it may begin.
      if (json) say(JSON.stringify({ url, license_key: key, scenario: options.scenario }));
      else {
        say(`License server: ${url}\nLicense key:    ${key}`);
        note(`Change it with: curl ${url}${switchPath} -d '{"scenario":"outage"}'. Stop with Ctrl+C.`);
      }
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      });
      await close();
    });
}
