import type { ComponentChildren, VNode } from 'preact';
import { greetable, type Letter, type LetterOf, type MailKind } from '../../../../core/mail/letter.ts';
import type { WriteLetter } from '../../../../core/ports/mailer.ts';
import { logoInMail } from '../../../contracts/mail-logo.ts';
import { renderPage } from '../layout.tsx';
import { addressOf, type Draft, oneLine, type Paragraph, plainText } from './draft.ts';
import { frameTexts, mailTexts } from './texts.ts';

/**
 * `nameOf` returns the name of the site. `url` is its public address. `hasLogo`: whether the mailer sends a logo with mails
 * that show one. Text and HTML of a mail come from one draft.
 */
export function createLetters(nameOf: () => string, url: string, hasLogo: () => boolean = () => false): WriteLetter {
  const draftOf = <Kind extends MailKind>(letter: LetterOf<Kind>, site: string): Draft =>
    mailTexts[letter.kind](letter, site, url);
  return (letter: Letter) => {
    const site = nameOf();
    const draft = draftOf(letter, site);
    return {
      subject: draft.subject,
      text: plainText(draft, site, url),
      html: renderPage(<MailPage draft={draft} site={site} url={url} hasLogo={hasLogo()} />),
    };
  };
}

/** Mail programs ignore most style sheets, so each element has its own style. Only the dark colors are in a sheet. */
const styles = {
  body: 'margin:0;padding:24px 12px;background:#f4f6f5;color:#1c2420;font:16px/1.6 system-ui,sans-serif',
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #dde3e0;border-radius:12px',
  logo: 'margin:0 0 8px',
  site: 'margin:0;font-weight:700',
  title: 'margin:12px 0 16px;font-size:22px;line-height:1.3',
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere',
  faint: 'margin:0 0 16px;color:#55615b;font-size:14px;overflow-wrap:anywhere',
  button:
    'display:inline-block;padding:10px 18px;border-radius:8px;background:#1b6b50;color:#ffffff;font-weight:600;text-decoration:none',
  link: 'color:#1b6b50',
  label: 'padding:0 16px 4px 0;color:#55615b;text-align:start;vertical-align:top;font-weight:400',
  fact: 'padding:0 0 4px;text-align:start;overflow-wrap:anywhere',
  code: 'font:14px/1.5 ui-monospace,monospace;overflow-wrap:anywhere',
  foot: 'max-width:560px;margin:16px auto 0;padding:0 24px;color:#55615b;font-size:14px',
} as const;

const dark = `@media (prefers-color-scheme:dark){
.body{background:#14181b!important;color:#e3e8e5!important}
.card{background:#1d2327!important;border-color:#313a3f!important}
.faint{color:#a3b0aa!important}
.button{background:#6fd3ac!important;color:#14181b!important}
.link{color:#6fd3ac!important}
}`;

interface Shown {
  readonly draft: Draft;
  readonly site: string;
  readonly url: string;
  readonly hasLogo: boolean;
}

/** A mail as HTML. It loads nothing from anywhere: the logo is a part of the mail. */
function MailPage({ draft, site, url, hasLogo }: Shown): VNode {
  const { subject, name = '', happened, facts = [], link, otherwise } = draft;
  const { code } = link;
  const address = addressOf(draft, url);
  return (
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{dark}</style>
      </head>
      <body class="body" style={styles.body}>
        <div class="card" style={styles.card}>
          {hasLogo && (
            <p style={styles.logo}>
              <img src={logoInMail} alt="" height="28" />
            </p>
          )}
          <p dir="auto" style={styles.site}>
            {site}
          </p>
          <h1 style={styles.title}>{subject}</h1>
          <Line>
            {frameTexts.greeting}
            {greetable(name) !== '' && (
              <>
                {' '}
                <bdi dir="auto">{greetable(name)}</bdi>
              </>
            )}
            ,
          </Line>
          {happened.map((paragraph) => (
            <Line key={paragraph}>{pieces(paragraph)}</Line>
          ))}
          {facts.length > 0 && <Facts facts={facts} />}
          <Line>
            <a class="button" href={address} style={styles.button}>
              {link.label}
            </a>
          </Line>
          <Line isFaint>
            <a class="link" href={address} style={styles.link}>
              {address}
            </a>
          </Line>
          {code && (
            <Line isFaint>
              {frameTexts.life(code.life)} {frameTexts.code} <code style={styles.code}>{code.token}</code>
            </Line>
          )}
          <Line>{pieces(otherwise)}</Line>
        </div>
        <p class="faint" style={styles.foot}>
          {frameTexts.sentBy}
          <bdi dir="auto">{site}</bdi>,{' '}
          <a class="link" href={url} style={styles.link}>
            {url}
          </a>
        </p>
      </body>
    </html>
  );
}

function Line({ isFaint = false, children }: { isFaint?: boolean; children: ComponentChildren }): VNode {
  return isFaint ? (
    <p class="faint" style={styles.faint}>
      {children}
    </p>
  ) : (
    <p style={styles.paragraph}>{children}</p>
  );
}

function Facts({ facts }: { facts: NonNullable<Draft['facts']> }): VNode {
  return (
    <table style={styles.paragraph}>
      <tbody>
        {facts.map(([label, fact]) => (
          <tr key={label}>
            <th class="faint" scope="row" style={styles.label}>
              {label}
            </th>
            <td style={styles.fact}>
              <bdi dir="auto">{oneLine(fact)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function pieces(paragraph: Paragraph): ComponentChildren {
  return paragraph.map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <bdi key={piece} dir="auto">
        {oneLine(piece.given)}
      </bdi>
    ),
  );
}
