import type { VNode } from 'preact';
import type { AuditTrail } from '../../../../core/administration/audit-trail.ts';
import type { ShowSystem } from '../../../../core/administration/system.ts';
import { mailStates } from '../../../../core/mail/mail.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { SystemReport } from '../../../../core/ports/system-facts.ts';
import type { Backlog } from '../../../../core/ports/work-queue.ts';
import type { WorkKind } from '../../../../core/work/work.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import type { Frame } from '../../ui/frame.ts';
import { type Fact, Facts, List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../kit/answer.ts';
import { actorOf, type DashboardTools, orFail, page } from '../kit/page.ts';
import { addressWith } from '../kit/query.ts';
import { auditPages } from './audit.tsx';
import { mailPages } from './mails.tsx';
import { mails as mailWords, system as words } from './words.ts';

/** The dependencies of the pages about the service itself. */
export interface SystemTools {
  readonly trail: AuditTrail;
  readonly mails: Parameters<typeof mailPages>[1];
  readonly system: ShowSystem;
}

/** The pages of administrators about the service itself. If two paths match a request, the first one answers it. */
export function systemPages(tools: DashboardTools, { trail, mails, system }: SystemTools): Endpoint[] {
  return [...auditPages(tools, trail), ...mailPages(tools, mails), systemPage(tools, system)];
}

function systemPage(tools: DashboardTools, system: ShowSystem): Endpoint {
  return page(tools, {
    id: 'admin-system',
    path: '/admin/system',
    audience: 'system:read',
    async show(visit) {
      const report = orFail(await system(actorOf(visit)));
      return shown(<SystemPage frame={visit.frame} report={report} />);
    },
  });
}

function SystemPage({ frame, report }: { readonly frame: Frame; readonly report: SystemReport }): VNode {
  const { version, nodeVersion, startedAt, database, files, limiter, checks, warnings, work, mails, webhooks } = report;
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'system' }}>
      <div class="boards">
        <Board title={words.checks}>
          <Facts facts={[...checksOf(checks, words.needed), ...checksOf(warnings, words.optional)]} />
        </Board>
        <Board title={words.software}>
          <Facts
            facts={[
              [words.version, version],
              [words.node, nodeVersion],
              [words.started, <Time key="started" at={startedAt} />],
              [words.files, words.places[files]],
              [words.limits, words.counters[limiter.kind]],
            ]}
          />
          {limiter.state === 'down' && <p class="note">{words.limiterDown}</p>}
        </Board>
        <Board title={words.work}>
          <Facts
            facts={[
              ...Object.entries(work).map(([kind, backlog]) => waiting(words.workKinds[kind as WorkKind], backlog)),
              waiting(words.webhooks.due, webhooks),
            ]}
          />
        </Board>
        <Board title={words.webhooks.title}>
          <Facts
            facts={[
              [words.webhooks.lastHour, words.webhooks.attempts(webhooks.lastHour)],
              [words.webhooks.thisHour, words.webhooks.attempts(webhooks.thisHour)],
            ]}
          />
        </Board>
        <Board title={words.mails}>
          <Facts
            facts={mailStates.map((state) => [
              mailWords.states[state],
              <a key={state} href={addressWith(`${frame.root}admin/mails`, { state })}>
                {readableNumber(mails[state])}
              </a>,
            ])}
          />
        </Board>
      </div>
      <section class="narrow">
        <h2>{words.database}</h2>
        <Facts
          facts={[
            [words.kind, words.kinds[database.kind]],
            [words.size, readableBytes(database.bytes)],
          ]}
        />
        <List
          label={words.rows}
          columns={[
            { title: words.table, cell: ([table]) => <code>{table}</code> },
            { title: words.rows, isNumber: true, cell: ([, rows]) => readableNumber(rows) },
          ]}
          rows={Object.entries(database.rows)}
        />
        <p class="faint">
          {words.age} {database.areEstimates && words.estimates}
        </p>
      </section>
    </AreaPage>
  );
}

function Board({ title, children }: { readonly title: string; readonly children: VNode | (VNode | false)[] }): VNode {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function checksOf(results: SystemReport['checks'], kind: string): Fact[] {
  return Object.entries(results).map(([name, result]) => [
    words.checkNames[name] ?? name,
    <>
      <span class={result === 'ok' ? 'tag good' : 'tag bad'}>{result === 'ok' ? words.works : words.isDown}</span>{' '}
      <span class="faint">{kind}</span>
    </>,
  ]);
}

function waiting(name: string, { count, oldest }: Backlog): Fact {
  if (oldest === null) return [name, words.nothingWaits];
  return [
    name,
    <>
      {words.waiting(readableNumber(count))} <Time at={oldest} />
    </>,
  ];
}
