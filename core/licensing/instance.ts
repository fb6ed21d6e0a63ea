import type { Secrets } from '../ports/secrets.ts';
import { randomHex } from '../random-hex.ts';
import { type DomainName, normalizeDomain } from './domain-name.ts';
import { isLocalHost } from './hosts.ts';

declare const brand: unique symbol;
/** The id of an instance: a UUID in lower case. */
export type InstanceId = string & { readonly [brand]: 'InstanceId' };

/** The most characters of the name of an instance. */
export const longestInstanceName = 255;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns the id of an instance, or `undefined` if the text is no UUID. */
export function parseInstanceId(text: string): InstanceId | undefined {
  const id = text.trim().toLowerCase();
  return uuid.test(id) ? (id as InstanceId) : undefined;
}

/** Returns a random id (RFC 9562, version 4). */
export function newInstanceId(secrets: Pick<Secrets, 'bytes'>): InstanceId {
  return idOf(randomHex(secrets, 16), 4);
}

/** Returns the id of an instance that is known by a text: the same for the same text (RFC 9562, version 8). */
export function instanceIdOf(text: string, secrets: Pick<Secrets, 'digest'>): InstanceId {
  return idOf(secrets.digest(`instance\n${text}`), 8);
}

function idOf(hex: string, version: 4 | 8): InstanceId {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `${version}${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-') as InstanceId;
}

const prefix = 'instance:';

/**
 * Returns the name under which a license is activated for an instance that is no host. No address has it as its host, so
 * that nobody can verify it as a domain.
 */
export function nameOfInstance(id: InstanceId): DomainName {
  return `${prefix}${id}` as DomainName;
}

/** Whether an activation is an instance that is no host. */
export function isInstance(domain: DomainName): boolean {
  return domain.startsWith(prefix);
}

/** Returns the name of an activation: a domain, or what `nameOfInstance` returns. `undefined` if the text is neither. */
export function parseActivationName(text: string): DomainName | undefined {
  const trimmed = text.trim();
  if (!trimmed.toLowerCase().startsWith(prefix)) return normalizeDomain(text);
  const id = parseInstanceId(trimmed.slice(prefix.length));
  return id && nameOfInstance(id);
}

const webAddress = /^\s*https?:\/\//i;

/**
 * Returns the host that the name of an instance means, or `undefined` if it is the name of a machine or of a person. A web
 * address is a host, and so is a name with a dot, unless it is one of a machine in a local network, such as `ada.local`.
 */
export function hostOfInstance(name: string): DomainName | undefined {
  const host = normalizeDomain(name);
  if (host === undefined || webAddress.test(name)) return host;
  return host.includes('.') && !isLocalHost(host) ? host : undefined;
}
