import { isOwner } from './owner.js';

/** Asks for the password of the owner. The page and its action check it too, in case that this file is left out. */
export function proxy({ headers }) {
  if (isOwner(headers)) return;
  return new Response('Sign in as owner.', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Basic realm="Owner", charset="UTF-8"' },
  });
}

export const config = { matcher: '/admin' };
