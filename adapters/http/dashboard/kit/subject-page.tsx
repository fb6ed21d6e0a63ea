import type { ComponentChildren, VNode } from 'preact';
import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import type { Endpoint } from '../../surface.ts';
import { type Area, AreaPage, type PlaceIn } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { shown } from './answer.ts';
import { type DashboardTools, page, type SignedInAudience, type SignedInVisit } from './page.ts';

/** The title of the pages of one subject, and where they are in the site. All paths are from the site's first page. */
export interface About {
  /** Its name: the title of its own page. */
  readonly name: string;
  /** The path of its own page. */
  readonly path: string;
  /** The entry of the navigation that it belongs to. */
  readonly place: PlaceIn<Area>;
  readonly mode?: KeyMode;
  /** The pages above its own one, its list first. */
  readonly above: readonly { readonly path: string; readonly title: string }[];
}

/** A thing with pages of its own, such as a license: how it is found, and where its pages are in the site. */
export interface Subject<One> {
  /** The path of its own page, for endpoints. The paths of the pages below begin with it. */
  readonly path: string;
  /** Who may see its pages, unless a page says otherwise. */
  readonly audience: SignedInAudience;
  /** Returns the one in the path. Throws `not_found` if the person cannot reach it. */
  find(visit: SignedInVisit): Promise<One>;
  about(one: One, visit: SignedInVisit): About;
}

/** A request for a page of a subject. */
export interface SubjectVisit<One> {
  readonly visit: SignedInVisit;
  readonly one: One;
  /** The relative address of the site's first page. */
  readonly root: string;
  /** The address of the subject's own page. */
  readonly address: string;
}

/** The content of a page. `title` is that of a page below the subject's own one. */
export interface Content {
  readonly title?: string;
  readonly scripts?: readonly Asset[];
  readonly head?: ComponentChildren;
  /** The state of the subject, after its name. */
  readonly tags?: ComponentChildren;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Makes the endpoint of a page that is only read: the subject's own one, or one below it. */
export function subjectPage<One>(
  tools: DashboardTools,
  subject: Subject<One>,
  {
    id,
    below = '',
    audience = subject.audience,
    show,
  }: {
    readonly id: string;
    /** The rest of the path of a page below, with its slash. */
    readonly below?: string;
    readonly audience?: SignedInAudience;
    show(at: SubjectVisit<One>): Content | Promise<Content>;
  },
): Endpoint {
  return page(tools, {
    id,
    path: `${subject.path}${below}`,
    audience,
    async show(visit) {
      const found = await visitSubject(subject, visit);
      return shown(<SubjectPage visit={visit} about={subject.about(found.one, visit)} {...(await show(found))} />);
    },
  });
}

/** Finds the subject in the path. */
export async function visitSubject<One>(subject: Subject<One>, visit: SignedInVisit): Promise<SubjectVisit<One>> {
  const one = await subject.find(visit);
  const { root } = visit.frame;
  return { visit, one, root, address: `${root}${subject.about(one, visit).path}` };
}

/** A page of a subject: the navigation of its area, breadcrumbs, title and content. */
export function SubjectPage({
  visit,
  about: { name, path, place, mode = 'live', above },
  title,
  ...content
}: Content & { readonly visit: SignedInVisit; readonly about: About }): VNode {
  const { frame } = visit;
  const way = title === undefined ? above : [...above, { path, title: name }];
  return (
    <AreaPage
      frame={frame}
      place={place}
      mode={mode}
      title={title ?? name}
      above={way.map(({ path, title }) => ({ href: `${frame.root}${path}`, title }))}
      {...content}
    />
  );
}

/** Says why an act is not possible now, and leads back. */
export function NotNow({
  why,
  back,
  name,
}: {
  readonly why: string;
  readonly back: string;
  readonly name: string;
}): VNode {
  return (
    <>
      <p class="note">{why}</p>
      <p class="choices">
        <ButtonLink href={back} text={name} />
      </p>
    </>
  );
}
