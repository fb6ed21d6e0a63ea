import { headerText, isPlainAddress, type Mailbox } from './mail.ts';

/** Reads `ada@example.com`, `Ada <ada@example.com>` or `"Ada" <ada@example.com>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, bare, address = ''] = /^(?:(?:"([^"]*)"|([^"<>]*?))\s*<([^<>]*)>)$/.exec(text.trim()) ?? [];
  const found = { name: quoted ?? bare ?? '', address: address || text.trim() };
  return isPlainAddress(found.address) && headerText(found.name) === found.name ? found : undefined;
}

/** Returns an address without its plus part: `ada+1@example.com` reaches `ada@example.com` too. */
export function plainAddress(address: string): string {
  return address.replace(/(?<=[^@])\+[^@]*(?=@)/, '');
}
