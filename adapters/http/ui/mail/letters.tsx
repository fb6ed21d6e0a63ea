import type { Letter, LetterOf, MailKind } from '../../../../core/mail/letter.ts';
import type { WriteLetter } from '../../../../core/ports/mail-texts.ts';
import { renderPage } from '../layout.tsx';
import type { Draft } from './draft.ts';
import { MailPage } from './mail-page.tsx';
import { plainText } from './plain-text.ts';
import { mailTexts } from './texts.ts';

/** `site` is the name of the site, and `url` its public address. Text and HTML of a mail come from one draft. */
export function createLetters(site: string, url: string): WriteLetter {
  const draftOf = <Kind extends MailKind>(letter: LetterOf<Kind>): Draft => mailTexts[letter.kind](letter, site, url);
  return (letter: Letter) => {
    const draft = draftOf(letter);
    return {
      subject: draft.subject,
      text: plainText(draft, site, url),
      html: renderPage(<MailPage draft={draft} site={site} url={url} />),
    };
  };
}
