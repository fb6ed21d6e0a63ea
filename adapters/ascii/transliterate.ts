import anyAscii from 'any-ascii';
import type { Transliterate } from '../../core/ports/transliterate.ts';

const words = new Intl.Segmenter('zh', { granularity: 'word' });
/** Text in scripts that have no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]+/gu;

/** Puts spaces between the words of a text that has none. Leaves out emoji, which are not letters. */
export const transliterate: Transliterate = (text) =>
  anyAscii(
    text
      .normalize('NFC')
      .replace(/\p{Extended_Pictographic}|\p{Emoji_Presentation}/gu, ' ')
      .replace(unspaced, (run) => ` ${Array.from(words.segment(run), ({ segment }) => segment).join(' ')} `),
  );
