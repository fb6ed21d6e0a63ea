/**
 * Returns the `Content-Disposition` (RFC 6266) that makes a browser save a file under this name. The header is ASCII, and
 * the name may have any characters. Removes control characters from it.
 */
export function attachment(filename: string): string {
  const name = filename.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd');
  const plain = name.replace(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
