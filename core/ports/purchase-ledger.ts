import type { Event } from '../events/event.ts';
import type { Instant } from './clock.ts';

/** The purchases that this service itself keeps. */
export interface PurchaseLedger {
  /** Whether it is new: buying again changes nothing. */
  add(purchase: { userId: number; templateId: number; at: Instant }, event: Event): Promise<boolean>;
  has(userId: number, templateId: number): Promise<boolean>;
}
