import type { ComponentChildren, VNode } from 'preact';
import { greetable, type Letter, type LetterOf, type MailKind } from '../../../../core/mail/letter.ts';
import type { WriteText } from '../../../../core/ports/mailer.ts';
import { logoInMail } from '../../../contracts/mail-logo.ts';
import { renderPage } from '../layout.tsx';
import { addressOf, type Draft, oneLine, type Paragraph, plainText, previewOf } from './draft.ts';
import { frameTexts, mailTexts } from './texts.ts';

/**
 * `nameOf` returns the name of the site. `url` is its public address. `hasLogo`: whether the mailer sends a logo with mails
 * that show one. Text and HTML of a mail come from one draft.
 */
export function createLetters(nameOf: () => string, url: string, hasLogo: () => boolean = () => false): WriteText {
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

const font = "font-family:'Segoe UI',Helvetica,Arial,sans-serif";
/** Breaks long words. Gmail and Outlook know no `overflow-wrap`. */
const breaks = 'word-break:break-word';

/**
 * Mail programs ignore most style sheets, so each element has its own style. Only the dark colors are in a sheet. Outlook has
 * a width and a padding only for tables and their cells. `mail-clients.test.ts` knows what each program cannot do.
 */
const styles = {
  body: 'margin:0;padding:0;background-color:#f4f6f5',
  // A program that shows it all the same shows a line that cannot be seen.
  preview: 'display:none;font-size:1px;color:#f4f6f5',
  page: 'width:100%;background-color:#f4f6f5',
  around: 'padding:24px 12px',
  width: 'max-width:560px;margin:0 auto;text-align:left',
  card: 'width:100%;max-width:560px;background-color:#ffffff;border:1px solid #dde3e0;border-radius:12px',
  inside: `padding:24px;color:#1c2420;${font};font-size:16px;line-height:1.6;${breaks}`,
  logo: 'margin:0 0 8px',
  site: 'margin:0;font-weight:bold',
  title: 'margin:12px 0 16px;font-size:22px;line-height:1.3',
  paragraph: 'margin:0 0 16px',
  faint: 'margin:0 0 16px;color:#55615b;font-size:14px',
  apart: 'margin:0 0 16px',
  // Outlook has a padding for cells only.
  buttonBox: 'border-radius:8px;background-color:#1b6b50;mso-padding-alt:10px 18px',
  button: `display:inline-block;padding:10px 18px;color:#ffffff;${font};font-size:16px;font-weight:bold;text-decoration:none`,
  link: 'color:#1b6b50',
  label: `padding:0 16px 4px 0;color:#55615b;${font};font-size:16px;line-height:1.6;text-align:left;vertical-align:top;font-weight:normal`,
  fact: `padding:0 0 4px;color:#1c2420;${font};font-size:16px;line-height:1.6;text-align:left;vertical-align:top;${breaks}`,
  code: `font-family:Consolas,Menlo,monospace;font-size:14px`,
  foot: `margin:0;padding:16px 24px 0;color:#55615b;${font};font-size:14px;line-height:1.6;${breaks}`,
} as const;

const dark = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:#14181b!important}
.card{background-color:#1d2327!important;border-color:#313a3f!important}
.text{color:#e3e8e5!important}
.faint{color:#a3b0aa!important}
.button-box{background-color:#6fd3ac!important}
.button{color:#14181b!important}
.link{color:#6fd3ac!important}
}`;

interface Shown {
  readonly draft: Draft;
  readonly site: string;
  readonly url: string;
  readonly hasLogo: boolean;
}

/** The one layout of all mails. It loads nothing from anywhere: the logo is a part of the mail. */
function MailPage({ draft, site, url, hasLogo }: Shown): VNode {
  return (
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{draft.subject}</title>
        <style>{dark}</style>
      </head>
      {/* Several programs put a `div` in the place of the body. So what the body says stands below it again. */}
      <body class="page" style={styles.body}>
        <div style={styles.preview}>{previewOf(draft)}</div>
        <Box name="page" style={styles.page}>
          <td align="center" style={styles.around}>
            <div lang="en" dir="ltr" style={styles.width}>
              <Box name="card" style={styles.card}>
                <td class="text" style={styles.inside}>
                  <Content draft={draft} site={site} url={url} hasLogo={hasLogo} />
                </td>
              </Box>
              <Box>
                <td class="faint" style={styles.foot}>
                  {frameTexts.sentBy}
                  <span dir="auto">{site}</span>,{' '}
                  <a class="link" href={url} style={styles.link}>
                    {url}
                  </a>
                </td>
              </Box>
            </div>
          </td>
        </Box>
      </body>
    </html>
  );
}

function Content({ draft, site, url, hasLogo }: Shown): VNode {
  const { subject, name = '', happened, facts = [], link, otherwise } = draft;
  const { code } = link;
  const address = addressOf(draft, url);
  return (
    <>
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
            <span dir="auto">{greetable(name)}</span>
          </>
        )}
        ,
      </Line>
      {happened.map((paragraph) => (
        <Line key={paragraph}>{pieces(paragraph)}</Line>
      ))}
      {facts.length > 0 && <Facts facts={facts} url={url} />}
      <div style={styles.apart}>
        <table role="presentation" cellpadding="0" cellspacing="0">
          <tbody>
            <tr>
              <td class="button-box" style={styles.buttonBox}>
                <a class="button" href={address} style={styles.button}>
                  {link.label}
                </a>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <Line isFaint>
        <a class="link" href={address} style={styles.link}>
          {breakable(address)}
        </a>
      </Line>
      {code && (
        <Line isFaint>
          {frameTexts.life(code.life)} {frameTexts.code} <code style={styles.code}>{code.token}</code>
        </Line>
      )}
      <Line>{pieces(otherwise)}</Line>
    </>
  );
}

/** A table of one cell: Outlook gives a width, a color and a padding to nothing else. */
function Box({
  name,
  style = 'width:100%',
  children,
}: {
  readonly name?: string;
  readonly style?: string;
  readonly children: VNode;
}): VNode {
  return (
    <table role="presentation" class={name} width="100%" cellpadding="0" cellspacing="0" style={style}>
      <tbody>
        <tr>{children}</tr>
      </tbody>
    </table>
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

function Facts({ facts, url }: { facts: NonNullable<Draft['facts']>; url: string }): VNode {
  return (
    <div style={styles.apart}>
      <table cellpadding="0" cellspacing="0">
        <tbody>
          {facts.map(([label, fact, path]) => (
            <tr key={`${label} ${fact}`}>
              <th class="faint" scope="row" style={styles.label}>
                {label}
              </th>
              <td class="text" style={styles.fact}>
                <span dir="auto">{oneLine(fact)}</span>
                {path !== undefined && (
                  <>
                    {' '}
                    <a class="link" href={`${url}${path}`} style={styles.link}>
                      {breakable(`${url}${path}`)}
                    </a>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An address with places to break: Yahoo breaks no long words. */
function breakable(address: string): ComponentChildren {
  return address.match(/.{1,24}/gu)?.flatMap((part, n) => (n === 0 ? [part] : [<wbr key={part} />, part]));
}

/** What a person typed can run from right to left. Few mail programs know `bdi`. */
function pieces(paragraph: Paragraph): ComponentChildren {
  return paragraph.map((piece) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={piece} dir="auto">
        {oneLine(piece.given)}
      </span>
    ),
  );
}
