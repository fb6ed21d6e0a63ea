import { expect } from 'chai';
import fc from 'fast-check';
import { createLetters } from '../../../adapters/http/ui/mail/mail-page.tsx';
import { createSmtpMailer } from '../../../adapters/mail/smtp.ts';
import { parseSmtpUrl } from '../../../adapters/mail/smtp-url.ts';
import { toMailId } from '../../../core/id.ts';
import type { Letter } from '../../../core/mail/letter.ts';
import { composeMail, type Mail, type NewMail } from '../../../core/mail/mail.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { letters, writeLetter } from '../../support/letters.ts';
import { newMail } from '../../support/mails.ts';
import { itLong } from '../../support/required-service.ts';
import { runs } from '../../support/runs.ts';
import { pngOf } from '../../support/samples.ts';
import { refusal, startSilent, startSmtp } from '../../support/smtp-server.ts';

const from = { name: 'Latchkey, "the" service', address: 'latchkey@example.com' };
const at = Date.UTC(2026, 10, 22, 12);
const never = new AbortController().signal;

const stored = (mail: NewMail): Mail => ({
  ...mail,
  ...{ id: toMailId(7), state: 'queued', attempts: 0, error: null, settledAt: null, dueAt: at },
});
const mailer = (url: string, patience = {}) => createSmtpMailer(parseSmtpUrl(url), { from, ...patience });
const send = (url: string, mail = stored(newMail(at)), patience = {}) => mailer(url, patience).send(mail, never);

/** Returns the message of the outage. */
async function outage(sending: Promise<unknown>): Promise<string> {
  try {
    await sending;
  } catch (error) {
    expect(error).to.be.instanceOf(Unavailable);
    return error instanceof Error ? error.message : '';
  }
  return expect.fail('The mail was sent.');
}

describe('smtp', () => {
  describe('to a server that takes all mails', () => {
    /** A server greets after 100 ms. So each mail has a server of its own, and several can be sent at once. */
    const receive = async (mail: NewMail) => {
      await using server = await startSmtp();
      expect(await send(`smtp://127.0.0.1:${server.port}`, stored(mail))).to.equal('sent');
      const [received, ...others] = server.received;
      expect(others).to.deep.equal([]);
      return received ?? expect.fail('Nothing arrived.');
    };

    it('sends the logo with mails that show it, as a part of the mail, and no other picture', async () => {
      const bytes = pngOf(20, 10);
      const logo = { bytes, type: 'image/png' };
      const written = createLetters(
        () => 'Acme',
        'https://keys.example.com',
        () => true,
      )({ kind: 'no-account' });
      for (const [shown, given, expected] of [
        [written, logo, [bytes]],
        [written, undefined, []],
        [newMail(at), logo, []],
      ] as const) {
        await using server = await startSmtp();
        await send(`smtp://127.0.0.1:${server.port}`, stored({ ...newMail(at), html: shown.html }), { logo: given });
        const { attachments, html } = server.received[0]?.mail ?? expect.fail('Nothing arrived.');
        expect(attachments.map(({ content }) => content.toString('base64'))).to.deep.equal(
          expected.map((one) => Buffer.from(one).toString('base64')),
        );
        for (const one of attachments) {
          expect([one.cid, one.contentType, one.contentDisposition, one.related]).to.deep.equal([
            'logo@latchkey',
            'image/png',
            'inline',
            true,
          ]);
        }
        expect(/<img/.test(String(html))).to.equal(expected.length > 0);
      }
    });

    it('sends text and HTML, with both names', async () => {
      const mail = newMail(at);
      const { from: sender, to, mail: got } = await receive(mail);
      expect([sender, to]).to.deep.equal(['latchkey@example.com', ['ada@example.com']]);
      expect(got.from?.value).to.deep.equal([from]);
      expect([got.to].flat().flatMap((one) => one?.value ?? [])).to.deep.equal([
        { name: 'Ada "L" Łove', address: 'ada@example.com' },
      ]);
      expect([got.subject, got.text, got.html]).to.deep.equal([mail.subject, mail.text, mail.html]);
      expect(got.date?.getTime()).to.equal(at);
      expect(got.messageId).to.equal(`<latchkey.7.${at}@example.com>`);
      expect(got.headers.get('auto-submitted')).to.equal('auto-generated');
    });

    itLong('never adds a recipient, a header or a part, whatever name, subject and text contain', async () => {
      const plain = await receive(newMail(at));
      const headers = [...plain.mail.headers.keys()];
      const evil = [
        'Eve\r\nBcc: victim@example.com',
        'Eve\nBcc: victim@example.com',
        'Eve\r\n\r\nbody',
        'Eve <victim@example.com>',
        'Eve, victim@example.com',
        '"Eve" <a@b>, "x',
        'Eve\\"\\',
        '=?utf-8?B?DQpCY2M6IHZpY3RpbUBleGFtcGxlLmNvbQ==?=',
        'Eve\u2028Bcc: victim@example.com',
        'Eve\0\u0085Bcc: victim@example.com',
        '\ud83d',
        ':;()[]<>@,',
        'x'.repeat(5_000),
        'ä'.repeat(5_000),
      ];
      const check = async (text: string) => {
        const content = { subject: text, text: `${text}\r\n.\r\nRCPT TO:<victim@example.com>\r\n`, html: '<p>x</p>' };
        const mail = composeMail({ name: text, address: 'ada@example.com' }, 'test', content, at);
        const { to, raw, mail: got } = await receive(mail);
        expect(to, text).to.deep.equal(['ada@example.com']);
        expect([...got.headers.keys()], text).to.have.members(headers);
        expect(
          [got.to].flat().flatMap((one) => one?.value ?? []),
          text,
        ).to.deep.equal([{ name: mail.to.name, address: 'ada@example.com' }]);
        expect([got.cc, got.bcc, got.attachments], text).to.deep.equal([undefined, undefined, []]);
        expect(got.subject, text).to.equal(mail.subject);
        expect(got.text?.replaceAll('\r\n', '\n'), text).to.equal(mail.text.replaceAll('\r\n', '\n'));
        const [head = ''] = raw.split('\r\n\r\n', 1);
        expect(head, text).to.not.match(/^(?:bcc|cc):/im);
      };
      await Promise.all(evil.map(check));
    });

    itLong('keeps names and subjects of any characters', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(text, text, async (name, subject) => {
          const to = { name, address: 'ada@example.com' };
          const mail = composeMail(to, 'test', { subject, text: 'x', html: 'x' }, at);
          const { to: recipients, mail: got } = await receive(mail);
          expect(recipients).to.deep.equal(['ada@example.com']);
          const [recipient] = [got.to].flat().flatMap((one) => one?.value ?? []);
          expect(recipient?.address).to.equal('ada@example.com');
          expect(squeezed(got.subject ?? '')).to.equal(squeezed(mail.subject));
          expect(squeezed(recipient?.name ?? '')).to.equal(squeezed(mail.to.name));
        }),
        { numRuns: runs(60) },
      );
    });

    itLong('sends every kind of letter to one recipient with the same headers, whatever the letter says', async () => {
      const plain = await receive(newMail(at));
      for (const evil of ['Eve\r\nBcc: victim@example.com\r\n\r\nbody', '=?utf-8?Q?a?=', '\0\u2028<b>&"']) {
        const check = async (letter: Letter) => {
          const content = writeLetter(letter);
          const mail = composeMail({ name: evil, address: 'ada@example.com' }, letter.kind, content, at);
          const { to, mail: got } = await receive(mail);
          expect(to, letter.kind).to.deep.equal(['ada@example.com']);
          expect([...got.headers.keys()], letter.kind).to.have.members([...plain.mail.headers.keys()]);
          expect([got.subject, got.attachments], letter.kind).to.deep.equal([content.subject, []]);
          expect(got.text?.replaceAll('\r\n', '\n'), letter.kind).to.equal(mail.text);
        };
        await Promise.all(letters(evil).map(check));
      }
    });

    it('escapes facts in HTML', async () => {
      const letter = { kind: 'test', actor: '<img src=x onerror=alert(1)> & "co"' } as const;
      const mail = composeMail({ name: '', address: 'ada@example.com' }, letter.kind, writeLetter(letter), at);
      const { mail: got } = await receive(mail);
      expect(got.text).to.include(letter.actor).and.include('https://keys.example.com');
      expect(got.html).to.include('&lt;img src=x onerror=alert(1)> &amp; &quot;co&quot;').and.not.include('<img');
    });
  });

  it('reports a refusal for good (550) of a recipient', async () => {
    await using server = await startSmtp({
      onRcptTo: (_, __, callback) => callback(refusal(550, '5.1.1 No such user here\r\nreally')),
    });
    expect(await send(`smtp://127.0.0.1:${server.port}`)).to.deep.include({
      kind: 'refused',
      reason: 'refused_for_good',
    });
  });

  it('reports a refusal for good (554) of the text', async () => {
    await using server = await startSmtp({
      onData(stream, _, callback) {
        stream.resume();
        stream.on('end', () => callback(refusal(554, 'Spam')));
      },
    });
    expect(await send(`smtp://127.0.0.1:${server.port}`)).to.deep.equal({
      kind: 'refused',
      reason: 'refused_for_good',
      detail: 'The mail server refused the mail: 554 Spam.',
    });
  });

  it('reports a passing refusal (451), and a refused sender, as an outage', async () => {
    await using busy = await startSmtp({ onRcptTo: (_, __, callback) => callback(refusal(451, 'Try later')) });
    expect(await outage(send(`smtp://127.0.0.1:${busy.port}`))).to.equal(
      'The mail server refused the mail: 451 Try later.',
    );
    await using strict = await startSmtp({ onMailFrom: (_, __, callback) => callback(refusal(550, 'Not you')) });
    expect(await outage(send(`smtp://127.0.0.1:${strict.port}`))).to.include('550 Not you');
  });

  it('reports a server that is silent, slow, missing or speaks something else', async () => {
    const quick = { silence: 200, most: 2_000 };
    await using silent = await startSilent();
    expect(await outage(send(`smtp://127.0.0.1:${silent.port}`, undefined, quick))).to.match(
      /^The mail server does not answer/,
    );
    await using mute = await startSilent('220 hello\r\n');
    expect(await outage(send(`smtp://127.0.0.1:${mute.port}`, undefined, quick))).to.match(
      /^The mail server does not answer/,
    );
    const slow = { silence: 5_000, most: 200 };
    expect(await outage(send(`smtp://127.0.0.1:${mute.port}`, undefined, slow))).to.equal(
      'The mail server took too long.',
    );
    await using other = await startSilent('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await outage(send(`smtp://127.0.0.1:${other.port}`, undefined, quick))).to.be.a('string');
    expect(await outage(send('smtp://127.0.0.1:1', undefined, quick))).to.include(
      'connection to the mail server failed',
    );
    expect(await outage(send('smtp://nowhere.invalid', undefined, quick))).to.be.a('string');
  });

  it('ends at once when it is told to stop', async () => {
    await using silent = await startSilent();
    const stop = new AbortController();
    const sending = mailer(`smtp://127.0.0.1:${silent.port}`).send(stored(newMail(at)), stop.signal);
    const began = performance.now();
    setTimeout(() => stop.abort(), 50);
    await outage(sending);
    expect(performance.now() - began).to.be.lessThan(2_000);
  });

  describe('with TLS and a login', () => {
    const login = {
      disabledCommands: [],
      onAuth: ({ username, password }, _, callback) =>
        username === 'ada' && password === 's3cret/word'
          ? callback(null, { user: username })
          : callback(new Error(`No: ${username} ${password} ${Buffer.from(password ?? '').toString('base64')}`)),
    } satisfies Parameters<typeof startSmtp>[0];

    it('refuses to send a password without TLS', async () => {
      await using server = await startSmtp({ ...login, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
      expect(await outage(send(`smtp://ada:s3cret%2Fword@127.0.0.1:${server.port}`))).to.match(/TLS/);
      expect(server.received).to.deep.equal([]);
      expect(await send(`smtp://ada:s3cret%2Fword@127.0.0.1:${server.port}?starttls=optional`)).to.equal('sent');
      expect(server.received[0]).to.include({ user: 'ada', isSecure: false });
    });

    it('refuses a certificate that nobody trusts, if TLS is required', async () => {
      await using server = await startSmtp(login); // It has a certificate of its own making.
      const text = await outage(send(`smtp://ada:s3cret%2Fword@127.0.0.1:${server.port}`));
      expect(text).to.match(/certificate|TLS/i);
      await using secure = await startSmtp({ ...login, secure: true });
      await outage(send(`smtps://ada:s3cret%2Fword@127.0.0.1:${secure.port}`));
      expect([...server.received, ...secure.received]).to.deep.equal([]);
    });

    itLong('uses STARTTLS if the server offers it', async () => {
      await using server = await startSmtp(login);
      expect(await send(`smtp://ada:s3cret%2Fword@127.0.0.1:${server.port}?starttls=optional`)).to.equal('sent');
      expect(server.received[0]).to.include({ user: 'ada', isSecure: true });
    });

    it('reports a wrong password as an outage, and repeats neither user nor password', async () => {
      await using server = await startSmtp(login);
      const text = await outage(send(`smtp://ada:wr0ng%2Fword@127.0.0.1:${server.port}?starttls=optional`));
      expect(text).to.equal('The mail server does not accept the user or the password of MAIL_URL: 535.');
    });

    it('removes the password from other answers of the server too', async () => {
      const secret = 's3cret/word';
      const echo = `seen ${secret} ${Buffer.from(secret).toString('base64')} ${Buffer.from(`\0ada\0${secret}`).toString('base64')}`;
      await using server = await startSmtp({ ...login, onRcptTo: (_, __, callback) => callback(refusal(451, echo)) });
      const text = await outage(send(`smtp://ada:s3cret%2Fword@127.0.0.1:${server.port}?starttls=optional`));
      expect(text).to.equal('The mail server refused the mail: 451 seen … … ….');
    });
  });
});

/** Folding of long header lines may change blanks. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}
