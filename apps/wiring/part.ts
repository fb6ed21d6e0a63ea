import type { Container, Newable } from 'inversify';
import { onceMade } from '../../adapters/once-made.ts';
import { Unavailable } from '../../core/unavailable.ts';

/** A part of the service. It carries its type, so that code that mixes up two parts does not compile. */
export interface Part<T> {
  readonly id: Newable<T>;
  /** Binds the part and what it needs. A part without it is bound by `compose`: it is given, or the settings choose it. */
  readonly bind?: (container: Container) => void;
}

/** The parts that another part is made from, by name. */
export type Needs<D> = { readonly [Name in keyof D]: Part<D[Name]> };
type Make<T, D> = (needs: D) => T | Promise<T>;
type Close<T> = (made: T) => void | Promise<void>;

/**
 * Describes a part that is always made in the same way: how, and from which other parts. It is made once, at its first
 * use. `close` ends it.
 */
export function part<T, D>(make: Make<T, D>, needs: Needs<D>, close?: Close<T>): Part<T> {
  const made = chosen<T>(make.name);
  return { ...made, bind: (container) => bind(container, made, make, needs, close) };
}

/**
 * A function that returns a part. The part and what it needs are bound and made at its first call: most processes never call
 * it, and binding takes time too.
 */
export function later<T>(one: Part<T>): Part<() => Promise<T>> {
  return loadedLater(async () => one);
}

/**
 * As `later`, for a part in a module that the first call loads. Node keeps most failures of an import, so after one the
 * process must start again. Throws `Unavailable` if the container was emptied meanwhile.
 */
export function loadedLater<T>(load: () => Promise<Part<T>>): Part<() => Promise<T>> {
  const made = chosen<() => Promise<T>>('later');
  return {
    ...made,
    bind(container) {
      const loaded = onceMade(load);
      give(container, made, async () => {
        const one = await loaded();
        if (!container.isBound(made.id)) throw new Unavailable('The service is closed.');
        bindOnce(container, one);
        return await container.getAsync(one.id);
      });
    },
  };
}

/** Several parts as one, by name. */
export function together<D>(needs: Needs<D>): Part<D> {
  return part((made: D) => made, needs);
}

/** Several parts of one kind as a list. */
export function listOf<T>(parts: readonly Part<T>[]): Part<readonly T[]> {
  return part((made: Readonly<Record<string, T>>) => Object.values(made), Object.fromEntries(parts.entries()));
}

/** A part without a maker: `compose` binds it. */
export function chosen<T>(name: string): Part<T> {
  return { id: Symbol(name) as unknown as Newable<T> };
}

/** Binds a part, and before it the parts that it needs. */
export function bind<T, D>(
  container: Container,
  { id }: Part<T>,
  make: Make<T, D>,
  needs: Needs<D>,
  close?: Close<T>,
): void {
  const names = Object.keys(needs);
  const parts = Object.values<Part<unknown>>(needs);
  for (const one of parts) bindOnce(container, one);
  const binding = container.bind(id).toResolvedValue(
    // The names and the values are those of `needs`, in its order.
    (...made: unknown[]) => make(Object.fromEntries(made.map((value, n) => [names[n], value])) as D),
    parts.map((one) => one.id),
  );
  if (close) binding.onDeactivation(close);
}

/** Binds a part to what is there already. It is not closed. */
export function give<T>(container: Container, { id }: Part<T>, value: T): void {
  container.bind(id).toConstantValue(value);
}

/** Binds a part, unless it is bound or is bound by `compose`. */
export function bindOnce(container: Container, one: Part<unknown>): void {
  if (!container.isBound(one.id)) one.bind?.(container);
}
