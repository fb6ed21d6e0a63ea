import { ContainerModule } from 'inversify';
import { t } from '../tokens.ts';

/** The ways to pay. */
export const payments = new ContainerModule(({ bind }) => {
  bind(t.paymentSettings).toConstantValue({ manual: undefined, test: undefined, provider: undefined });
});
