import type { VNode } from 'preact';
import type { Frame } from './frame.ts';
import { Layout } from './layout.tsx';
import { texts } from './texts.ts';

/** A page that only says something, with a way back to the products. */
export function MessagePage({
  frame,
  title,
  text,
}: {
  readonly frame: Frame;
  readonly title: string;
  readonly text: string;
}): VNode {
  return (
    <Layout frame={frame} title={`${title} · ${frame.site}`}>
      <main id="content" class="message">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button" href={frame.root}>
            {texts.products.newest}
          </a>
        </p>
      </main>
    </Layout>
  );
}
