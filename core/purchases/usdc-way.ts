import type { Product } from '../marketplace/product.ts';
import type { Order } from './order.ts';

/** What the checkout needs of payments in USDC. */
export interface UsdcWay {
  /** Whether the owner of a product has a wallet for its mode: one on a test network in test mode. */
  takes(product: Pick<Product, 'ownerId' | 'isLive'>): Promise<boolean>;
  /** Asks for the payment of a new order, if there is only one chain. Otherwise the buyer chooses one. */
  begin(order: Order): Promise<void>;
}
