import type { VNode } from 'preact';
import { type Launch, type LaunchStep, launchSteps, type ShowLaunch } from '../../../../core/administration/launch.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import type { Frame } from '../../ui/frame.ts';
import { goTo, shown } from '../kit/answer.ts';
import { actorOf, type DashboardTools, orFail, page } from '../kit/page.ts';
import { words } from './words.ts';

/** The first page of administrators: what is left to do before the site is ready, and later the users. */
export function launchPages(tools: DashboardTools, launch: ShowLaunch): Endpoint[] {
  return [
    page(tools, {
      id: 'admin',
      path: '/admin',
      audience: 'settings:manage',
      async show(visit) {
        const left = orFail(await launch(actorOf(visit)));
        return left === undefined ? goTo(areas.admin.users) : shown(<LaunchPage frame={visit.frame} launch={left} />);
      },
    }),
  ];
}

function LaunchPage({ frame, launch }: { readonly frame: Frame; readonly launch: Launch }): VNode {
  const left = launchSteps.filter((step) => !launch[step]);
  // What is left to do comes first.
  const steps = [...left, ...launchSteps.filter((step) => launch[step])];
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'admin', at: 'settings' }}
      isBelow
      title={words.title}
      actions={<ButtonLink href={`${frame.root}${areas.admin.settings}/launch`} text={words.hide} />}
    >
      <p class="intro">{words.lead(left.length)}</p>
      <ul class="rows panel">
        {steps.map((step) => (
          <Step key={step} step={step} isDone={launch[step]} isNext={step === left[0]} frame={frame} />
        ))}
      </ul>
    </AreaPage>
  );
}

function Step({
  step,
  isDone,
  isNext,
  frame: { root, person },
}: {
  readonly step: LaunchStep;
  readonly isDone: boolean;
  /** Whether it is the first one that is left. */
  readonly isNext: boolean;
  readonly frame: Frame;
}): VNode {
  const isOrdered = step === 'purchase' && (person?.waitingOrders ?? 0) > 0;
  const { title, why, to, action } = isOrdered ? words.ordered : words.steps[step];
  return (
    <li class={isDone ? 'row done' : 'row'}>
      <div class="about">
        <h2>
          {title} {isDone && <span class="tag good">{words.done}</span>}
        </h2>
        {!isDone && <p>{why}</p>}
      </div>
      <div class="choices">
        {!isDone && (
          <ButtonLink href={`${root}${to}`} text={action} about={title} look={isNext ? 'primary' : 'small'} />
        )}
      </div>
    </li>
  );
}
