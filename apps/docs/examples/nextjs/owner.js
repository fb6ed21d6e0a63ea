import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text) => createHash('sha256').update(text).digest();

/** Whether a request has the password of the owner. In your site, use your own sign-in here. */
export function isOwner(headers) {
  const { ADMIN_PASSWORD } = process.env;
  if (!ADMIN_PASSWORD) return false;
  const wanted = `Basic ${Buffer.from(`owner:${ADMIN_PASSWORD}`).toString('base64')}`;
  return timingSafeEqual(digest(headers.get('authorization') ?? ''), digest(wanted));
}
