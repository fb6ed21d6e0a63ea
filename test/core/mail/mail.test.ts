import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../../core/events/event.ts';
import { toMailId } from '../../../core/id.ts';
import { composeMail, headerText, isPlainAddress, type Mail, mailStates, queueAgain } from '../../../core/mail/mail.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { newMail } from '../../support/mails.ts';

describe('a mail', () => {
  it('has a name and a subject of one line, whatever they are made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const made of [headerText(text), headerText(`a\r\nBcc: x@example.com${text}`)]) {
          expect(made).to.not.match(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
          expect([...made].length).to.be.at.most(200);
        }
      }),
    );
    expect(headerText(' Żółć\r\n \t😀 ')).to.equal('Żółć 😀');
    expect(headerText('half \ud83d')).to.equal('half \ufffd');
    expect(headerText('next\u2028line\u0085end\0')).to.equal('next line end');
  });

  it('has one plain address', () => {
    for (const address of [
      'a@example.com',
      "o'hara+x_y@mail.example.com",
      'Żółć@xn--mnchen-3ya.de',
      'root@localhost',
    ]) {
      expect(isPlainAddress(address), address).to.equal(true);
    }
    for (const address of [
      ...[
        '',
        'a',
        '@example.com',
        'a@',
        'a@b@c',
        'a@b, c@d',
        'a@b;c@d',
        'A <a@b>',
        '<a@b>',
        '"a b"@c',
        'a(x)@b',
        'a:b@c',
      ],
      ...['a@b\r\nBcc: c@d', 'a@b\n', ' a@b', 'a\0@b', 'a@b\u200b', 'a@b\u2028', `${'a'.repeat(250)}@b.de`],
    ]) {
      expect(isPlainAddress(address), JSON.stringify(address)).to.equal(false);
      expect(() => newMail(1, address)).to.throw('not one e-mail address');
    }
  });

  it('has a text without NUL', () => {
    const content = { subject: 's', text: 'a\0b\r\nc', html: '<p>\0\ud83d</p>' };
    const made = composeMail({ name: '', address: 'a@b' }, 'test', content, 1);
    expect([made.text, made.html]).to.deep.equal(['ab\r\nc', '<p>\ufffd</p>']);
  });

  it('can be queued again if it has failed or was only kept', () => {
    const again = event('mail.retried', 'ada@example.com', by, 9);
    const mail: Mail = {
      ...newMail(1),
      ...{ id: toMailId(3), state: 'failed', attempts: 7, error: 'no', settledAt: 5, dueAt: null },
    };
    const outcomes = mailStates.map((state) => {
      const decided = queueAgain({ ...mail, state }, again);
      return isRefused(decided) ? decided.reason : decided.after.state;
    });
    expect(Object.fromEntries(mailStates.map((state, n) => [state, outcomes[n]]))).to.deep.equal({
      queued: 'mail_queued',
      sent: 'mail_sent',
      kept: 'queued',
      failed: 'queued',
    });
  });
});
