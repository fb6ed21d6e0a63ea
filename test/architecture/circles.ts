import { type Module, reachedBy } from './module.ts';

/** Two folders with the same parent. One imports from the other. */
interface Step {
  readonly from: string;
  readonly to: string;
}

/** For each folder, those that it imports from. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const graphs = new WeakMap<readonly Module[], Graph>();

/** Returns the circles of folders that start with an import of this module, each as `core/a > core/b > core/a`. */
export function circlesOf(module: Module, house: readonly Module[]): string[] {
  return stepsOf(module).flatMap(({ from, to }) => {
    const back = wayTo(to, from, graphOf(house));
    return back ? [[from, ...back].join(' > ')] : [];
  });
}

function graphOf(house: readonly Module[]): Graph {
  const known = graphs.get(house);
  if (known) return known;
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of house.flatMap(stepsOf)) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  graphs.set(house, graph);
  return graph;
}

/** Ports are left out, because they use types of core's other folders and are called by them. */
function stepsOf(module: Module): Step[] {
  return reachedBy(module).flatMap((path) => {
    const [here, there] = [module.path.split('/'), path.split('/')];
    const fork = here.findIndex((part, index) => part !== there[index]);
    const [from, to] = [here, there].map((parts) => parts.slice(0, fork + 1).join('/'));
    const areFolders = fork > 0 && fork < here.length - 1 && fork < there.length - 1;
    return from && to && areFolders && ![from, to].includes('core/ports') ? [{ from, to }] : [];
  });
}

/** Returns the shortest path from one folder to another. */
function wayTo(start: string, goal: string, graph: Graph): string[] | undefined {
  const ways = [[start]];
  const seen = new Set([start]);
  for (const way of ways) {
    const last = way.at(-1) ?? start;
    if (last === goal) return way;
    for (const to of graph.get(last) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return undefined;
}
