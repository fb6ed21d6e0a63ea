import type { ComponentChildren, VNode } from 'preact';
import { knownChains } from '../../../../core/deployments/chains.ts';
import { type DeploymentState, deploymentStates } from '../../../../core/deployments/deployment-state.ts';
import type { CheckedDeployment } from '../../../../core/ports/deployment-checks.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import type { Options } from '../../ui/form.tsx';
import { type Column, Facts, List } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { withAll } from '../kit/listing.tsx';
import { guidePath, words } from './words.ts';

const { list: names, states } = words;

/** The name of a chain at the start of a text. */
export function chainTitle(id: number): string {
  return knownChains.get(id)?.name ?? words.chainOf(id);
}

function StateTag({ state }: { readonly state: DeploymentState }): VNode {
  const { tone, name } = states[state];
  return <span class={tone === 'plain' ? 'tag' : `tag ${tone}`}>{name}</span>;
}

/** Deployments as a table. */
export function DeploymentTable({
  label,
  rows,
  more = [],
}: {
  readonly label: string;
  readonly rows: readonly CheckedDeployment[];
  /** More columns at the end. */
  readonly more?: readonly Column<CheckedDeployment>[];
}): VNode {
  return (
    <List
      label={label}
      rows={rows}
      columns={[
        {
          title: names.contract,
          cell: ({ id, chainId, address }) => (
            <>
              <ExplorerLink chainId={chainId} about="address" what={address} copyId={`contract-${id}`} />
              <span class="under">{chainTitle(chainId)}</span>
            </>
          ),
        },
        { title: names.state, isState: true, cell: StateTag },
        {
          title: names.template,
          cell: ({ templateReference, release }) => (
            <span class="breakable">
              <span dir="auto">{templateReference ?? '–'}</span>
              {release && (
                <span class="under" dir="auto">
                  {release.version}
                </span>
              )}
            </span>
          ),
        },
        {
          title: names.transaction,
          cell: ({ chainId, txHash }) => <ExplorerLink chainId={chainId} about="tx" what={txHash} />,
        },
        { title: names.reported, cell: ({ at }) => <Time at={at} /> },
        ...more,
      ]}
    />
  );
}

/** Says what the states mean, and leads to the guide. */
export function StateMeanings({ root }: { readonly root: string }): VNode {
  const facts = deploymentStates.map((state): [string, ComponentChildren] => [states[state].name, states[state].text]);
  return (
    <details class="folded">
      <summary class="fold">{names.meaning}</summary>
      <Facts facts={facts} />
      <p>
        <a href={`${root}${guidePath}`}>{words.guide}</a>
      </p>
    </details>
  );
}

/** The states as choices of a filter. */
export const stateOptions: Options = withAll(
  Object.fromEntries(deploymentStates.map((state) => [state, states[state].name])),
);

/** The chains as choices of a filter: those with a name, those of the rows, and the chosen one. */
export function chainOptions(rows: readonly CheckedDeployment[], chosen: number | undefined): Options {
  const ids = new Set([...knownChains.keys(), ...rows.map(({ chainId }) => chainId), ...(chosen ? [chosen] : [])]);
  return withAll(Object.fromEntries([...ids].map((id) => [String(id), chainTitle(id)])));
}
