declare const brand: unique symbol;
type Id<Of extends string> = number & { readonly [brand]: Of };

export type UserId = Id<'User'>;
export type ApiKeyId = Id<'ApiKey'>;
export type SessionId = Id<'Session'>;
export type ProductId = Id<'Product'>;
export type TemplateId = Id<'Template'>;
export type MailId = Id<'Mail'>;
export type AuditId = Id<'Audit'>;
export type NotificationId = Id<'Notification'>;
export type WebhookId = Id<'Webhook'>;
export type DeliveryId = Id<'Delivery'>;
export type OrderId = Id<'Order'>;
export type RatingId = Id<'Rating'>;
export type CouponId = Id<'Coupon'>;
export type DeploymentId = Id<'Deployment'>;
export type ReleaseCodeId = Id<'ReleaseCode'>;
export type ClaimId = Id<'Claim'>;

/* Ids are made only here: from row numbers, and from texts (`parseId`). */

export const toUserId = (number: number) => number as UserId;
export const toApiKeyId = (number: number) => number as ApiKeyId;
export const toSessionId = (number: number) => number as SessionId;
export const toProductId = (number: number) => number as ProductId;
export const toTemplateId = (number: number) => number as TemplateId;
export const toMailId = (number: number) => number as MailId;
export const toAuditId = (number: number) => number as AuditId;
export const toNotificationId = (number: number) => number as NotificationId;
export const toWebhookId = (number: number) => number as WebhookId;
export const toDeliveryId = (number: number) => number as DeliveryId;
export const toOrderId = (number: number) => number as OrderId;
export const toRatingId = (number: number) => number as RatingId;
export const toCouponId = (number: number) => number as CouponId;
export const toDeploymentId = (number: number) => number as DeploymentId;
export const toReleaseCodeId = (number: number) => number as ReleaseCodeId;
export const toClaimId = (number: number) => number as ClaimId;

/** Returns the id in a text, or `undefined` if the text is a slug or an e-mail address. Those are never only digits. */
export function parseId<Id extends number>(text: string, mint: (number: number) => Id): Id | undefined {
  return /^\d{1,15}$/.test(text) ? mint(Number(text)) : undefined;
}
