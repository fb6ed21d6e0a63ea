import { writeFileSync } from 'node:fs';
import { leaseVectors } from './lease-vectors.ts';

// Writes the vectors of leases anew.
writeFileSync(
  new URL('../../apps/docs/vectors/leases.json', import.meta.url),
  `${JSON.stringify(leaseVectors(), undefined, 2)}\n`,
);
