import fc from 'fast-check';

const codeUnits = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

/** Any text that a caller can send: all planes, graphemes, control characters and halves of surrogate pairs. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme-composite' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: codeUnits }),
);

const addressParts = [
  ...['http:', 'https://', 'HTTPS://', 'ws:', 'ftp://', 'file:', 'git+ssh://', 'javascript:', 'h\tttp://'],
  ...['/', '//', '\\', '\\\\', '@', ':', ':80', ':65536', '?', '#', '%', '%2f', '%2e', '%00', '%zz', '%ff'],
  ...[
    'example.com',
    'www.',
    'a',
    'b.',
    '-',
    '_',
    '*',
    'MÜNCHEN',
    'faß',
    'xn--mnchen-3ya',
    'xn--',
    'xn--a',
    'localhost',
  ],
  ...['127.0.0.1', '0x7f.1', '0x', '256', '1e3', '[::1]', '[', ']', '::', '[::ffff:1.2.3.4]', '[fe80::1%25eth0]'],
  ...['.', '..', '\u3002', '\uff0e', '\uff61', '\uff45', '\uff0f', '\uff20', '\uff3b', '\u2024', '\u2100', '\u00bd'],
  ...['\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u0300', '\u0130', '\u212a', '\ud800', '\udfff'],
  ...[' ', '\t', '\r\n', '\0', '\u007f', '\u00a0', '\u3000', '\u2028', '<', '>', '^', '|', '"', '\u{1f600}'],
];

/** Parts of addresses, and texts that have misled parsers of addresses, in any order. */
export const addressLike: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...addressParts) }, anyText), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));
