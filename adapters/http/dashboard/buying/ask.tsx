import { z } from 'zod';
import { longestQuestion, type Questions } from '../../../../core/marketplace/questions.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { AreaField, ChoiceField, Form, TextField } from '../../ui/form.tsx';
import { shown } from '../kit/answer.ts';
import { emailAddress, optionalText, required, someOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';

const names = {
  title: (product: string) => `Ask about ${product}`,
  lead: 'The seller gets your question by e-mail.',
  question: 'Your question',
  noQuestion: 'Enter your question.',
  share: 'Answer',
  agree: 'Give the seller my e-mail address, so that they can answer',
  email: 'E-mail address',
  emailHint: 'Only if you want an answer.',
  noEmail: 'Enter your e-mail address, or take the tick away.',
  submit: 'Send question',
  sentTitle: 'Your question is on its way',
  sent: 'The seller gets it by e-mail, without your address.',
  sentTo: (email: string) => `The seller gets it by e-mail, and can answer to ${email}.`,
  back: 'Back to the product',
  notForSale: 'This product is no longer for sale.',
};

const fields = z.object({
  question: required(longestQuestion, names.noQuestion),
  share: someOf(['yes']),
  email: optionalText.transform((text) => text.toLowerCase()),
});

/** The form on which a visitor asks the seller of a product. It needs a site that sends mails. */
export function askPages(tools: DashboardTools, { questions }: { readonly questions: Questions }): Endpoint[] {
  const productIn = async ({ params }: Visit) => {
    const product = tools.sendsMail ? await questions.about(params.slug ?? '') : undefined;
    if (product === undefined) throw new Failure('not_found');
    return product;
  };
  return form(tools, {
    id: 'ask-seller',
    path: '/marketplace/:slug/ask',
    audience: 'anybody',
    fields,
    async initial(visit) {
      await productIn(visit);
      return { share: [], email: visit.me?.login.email ?? '' };
    },
    async render(visit, state) {
      const { title, slug } = await productIn(visit);
      const { frame, me } = visit;
      return (
        <CardPage frame={{ ...frame, part: 'products' }} title={names.title(title)}>
          <p>{names.lead}</p>
          <Form state={state} submit={names.submit} cancel={`${frame.root}marketplace/${slug}`}>
            <AreaField name="question" label={names.question} rows={6} />
            <ChoiceField name="share" type="checkbox" label={names.share} options={[['yes', names.agree]]} />
            {me === undefined && (
              <TextField name="email" label={names.email} hint={names.emailHint} type="email" autocomplete="email" />
            )}
          </Form>
        </CardPage>
      );
    },
    async act(visit, { question, share, email: typed }) {
      const { slug } = await productIn(visit);
      const email = share.length === 0 ? null : (visit.me?.login.email ?? emailAddress.safeParse(typed).data);
      if (email === undefined) return refuse('no_address');
      const asked = await questions.ask(slug, question, {
        client: visit.from.address,
        userId: visit.me?.login.id,
        email,
      });
      if (isRefused(asked)) return asked;
      return shown(
        <CardPage frame={{ ...visit.frame, part: 'products' }} title={names.sentTitle}>
          <p>{email === null ? names.sent : names.sentTo(email)}</p>
          <p>
            <ButtonLink href={`${visit.frame.root}marketplace/${slug}`} text={names.back} />
          </p>
        </CardPage>,
      );
    },
    refusals: {
      no_address: { field: 'email', text: names.noEmail },
      product_not_found: { text: names.notForSale },
    },
  });
}
