import { setTimeout } from 'node:timers/promises';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openDatabases } from './databases.ts';
import { startLatchkey } from './processes.ts';
import { addSeller, settle, withParts } from './seed.ts';
import { addEndpointTo, addWaiting, countDelivered, startSink, webhookSettings } from './webhook-ground.ts';

const folder = await makeTemporaryFolder();
const prof = process.argv[3];
const n = Number(process.argv[4] ?? 6000);
const eps = Number(process.argv[5] ?? 20);
{
  await using databases = await openDatabases(folder);
  await using sink = await startSink();
  const url = await databases.create(process.argv[2] as 'sqlite');
  await withParts(url, async (parts) => {
    const seller = await addSeller(parts);
    const all = [];
    for (let i = 0; i < eps; i++) all.push(await addEndpointTo(parts, seller, `http://127.0.0.1:${sink.port}/${i}`));
    await addWaiting(parts, all, n / eps);
    await settle(parts);
    const server = await startLatchkey(
      folder,
      { DATABASE_URL: url, ...webhookSettings },
      prof ? ['--cpu-prof', `--cpu-prof-dir=${prof}`] : [],
    );
    const reached = async (s: number) => {
      while ((await sink.answered()) < s * n) await setTimeout(10);
      return performance.now();
    };
    const a = await reached(0.1);
    const b = await reached(0.9);
    await reached(1);
    while ((await countDelivered(parts)) < n) await setTimeout(50);
    const c = performance.now();
    console.log(
      process.argv[2],
      Math.round((0.8 * n) / ((b - a) / 1000)),
      'all',
      Math.round((0.9 * n) / ((c - a) / 1000)),
      (await server.metrics())
        .split('\n')
        .filter((l) => /process_cpu_seconds_total \d|webhook.*delivered/.test(l))
        .join(' '),
    );
    await server.stop();
  });
}
await folder.remove();
