import { z } from 'zod';
import { fileOf, recordOf } from '../../../../core/licensing/domain-proof.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { goTo } from '../kit/answer.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { hostIn } from '../licenses/domains.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';
import { words } from './prove-words.ts';

/** The page that shows a buyer what to publish to prove a domain, and looks it up. */
export function buyerProofPage(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return form(tools, {
    id: 'order-domain-prove',
    path: '/orders/:token/domains/:domain/prove',
    audience: 'anybody',
    fields: z.object({}),
    async render(visit, state) {
      const order = await orderIn(own, visit);
      const bought = await own.licenses.show(order);
      if (bought === undefined) throw new Failure('not_found');
      const domain = hostIn(visit);
      const proof = own.licenses.proofOf(bought, domain);
      const back = `${visit.frame.root}${pathOf(order)}#domains`;
      return (
        <OrderFrame visit={visit} order={order} title={words.title(proof?.host ?? domain)} scripts={['copy.js']}>
          {proof === undefined ? (
            <>
              <p class="intro">{words.notNeeded}</p>
              <p class="choices">
                <ButtonLink href={back} text={words.back} />
              </p>
            </>
          ) : (
            <>
              <p class="intro">{words.lead}</p>
              <div class="panel">
                <Facts
                  facts={[
                    [words.text, <CopiedText key="text" id="proof" text={proof.text} />],
                    [words.record, <CopiedText key="record" id="proof-record" text={recordOf(proof.host)} />],
                    [words.file, <CopiedText key="file" id="proof-file" text={fileOf(proof.host)} />],
                  ]}
                />
                <p class="hint">{words.fileHint}</p>
              </div>
              <Form state={state} submit={words.submit} cancel={back} />
            </>
          )}
        </OrderFrame>
      );
    },
    async act(visit) {
      const order = await orderIn(own, visit);
      const proven = orFail(await own.licenses.prove(order, hostIn(visit), visit.from.address));
      if (isRefused(proven)) return proven;
      const bought = await own.licenses.show(order);
      // Then the proof is looked up again for each deactivation.
      if (bought?.keyRules.deactivation === 'proof') return goTo(pathOf(order), { notice: 'proof_needed_later' });
      return goTo(pathOf(order), { notice: proven.isNoted ? 'domain_proven' : 'proof_published' });
    },
    refusals: {
      proof_not_found: asRefused(),
      other_proof: asRefused(),
      proof_lookup_failed: asRefused(),
      // The page says the same in place of the form.
      proof_not_needed: { text: words.notNeeded },
      domain_not_provable: { text: words.notNeeded },
      domain_already_proven: { text: words.notNeeded },
      rate_limit_exceeded: asRefused(),
    },
  });
}
