/**
 * The `Content-Disposition` (RFC 6266) of a file that is to be saved under a name of any characters, in ASCII. Control
 * characters are left out.
 */
export function attachment(filename: string): string {
  const name = filename.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd');
  const plain = name.replace(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
