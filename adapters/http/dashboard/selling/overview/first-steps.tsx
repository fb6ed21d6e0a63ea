import type { VNode } from 'preact';
import type { FirstSteps } from '../../../../../core/selling/overview.ts';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { modeIn, sellingPath } from '../selling-page.tsx';

const { steps: words } = texts.sellingOverview;

/** The first steps of a new seller. The next step has the main button. */
export function FirstStepsPart({
  visit,
  steps: { hasProduct, hasPublished, hasLicense },
}: {
  readonly visit: SignedInVisit;
  readonly steps: FirstSteps;
}): VNode {
  const mode = modeIn(visit);
  const steps = [
    { name: 'publish', isDone: hasProduct, path: 'products/new' },
    { name: 'approve', isDone: hasPublished, path: hasProduct ? 'products' : undefined },
    { name: 'issue', isDone: hasLicense, path: hasProduct ? 'licenses/new' : undefined },
  ] as const;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="panel first-steps">
      <h2>{words.title[mode]}</h2>
      <p class="lead">{words.lead[mode]}</p>
      <ol aria-label={words.list}>
        {steps.map(({ name, isDone, path }) => (
          <li key={name} class={isDone ? 'first-step done' : 'first-step'}>
            <h3>{words[name].title}</h3>
            <p>{words[name].text}</p>
            {isDone ? (
              <p class="first-step-end">
                <span class="tag good">{words.done}</span>
              </p>
            ) : (
              path && (
                <p class="first-step-end">
                  <a
                    class={next?.name === name ? 'button primary' : 'button'}
                    href={`${visit.frame.root}${sellingPath(visit, path)}`}
                  >
                    {words[name].act}
                  </a>
                </p>
              )
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
