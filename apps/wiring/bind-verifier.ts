import type { ContainerModuleLoadOptions, Newable } from 'inversify';
import type { ObserveBatch } from '../../adapters/sql/batch.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import { observedVerifier } from './observed.ts';
import { t } from './tokens.ts';

/** Binds the verifier. It is opened after its database, because opening the database creates the schema. */
export function bindVerifier<D>(
  bind: ContainerModuleLoadOptions['bind'],
  database: Newable<D>,
  open: (database: D, observe: ObserveBatch) => Verifier | Promise<Verifier>,
): void {
  bind(t.verifier)
    .toResolvedValue(
      (opened: D, instruments, tracing) => observedVerifier((observe) => open(opened, observe), instruments, tracing),
      [database, t.instruments, t.tracing],
    )
    .onDeactivation((verifier) => verifier.close());
}
