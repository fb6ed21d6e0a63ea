import { z } from 'zod';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { SiteSettings } from '../../../../core/site/site-settings.ts';
import type { Pictures } from '../../../contracts/pictures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { ButtonForm, Form } from '../../ui/form.tsx';
import { formWords } from '../../ui/words.ts';
import type { FileFields } from '../../upload.ts';
import { goTo } from '../kit/answer.ts';
import { click, form } from '../kit/form.ts';
import { actorOf, type DashboardTools, orFail } from '../kit/page.ts';
import { limitOf, receiving } from '../kit/uploads.ts';
import { words } from './words.ts';

const { logo: names, settings, groups } = words;
const path = `/${areas.admin.settings}/logo`;
const audience = 'settings:manage';

/** In pixels: sharp on screens with several pixels for one. */
const largest = { width: 512, height: 112 };

const files = {
  logo: { kinds: ['png', 'jpg'], description: settings.logo.label, missing: names.missing, isShown: true },
} as const satisfies FileFields;

/** The dependencies of the page for the logo. */
export interface LogoTools {
  readonly settings: Pick<SiteSettings, 'show' | 'change'>;
  readonly pictures: Pick<Pictures, 'small'>;
}

/** The page on which administrators upload the logo, and the button that removes it. */
export function logoPages(tools: DashboardTools, { settings: store, pictures }: LogoTools): Endpoint[] {
  const limit = limitOf(tools, files, 'logo');
  return [
    ...form(tools, {
      id: 'admin-settings-logo',
      path,
      audience,
      fields: z.object({}),
      receive: receiving(tools, files),
      async render(visit, state) {
        const { logo } = orFail(await store.show(actorOf(visit)));
        return (
          <AreaPage
            frame={visit.frame}
            place={{ area: 'admin', at: 'settings' }}
            title={groups.logo.title}
            isBelow
            scripts={['upload.js']}
            actions={
              logo.isSet && <ButtonForm action={`${visit.frame.root}${path.slice(1)}/remove`} label={names.remove} />
            }
          >
            <p class="intro">{groups.logo.lead}</p>
            <Form state={state} submit={names.upload} cancel={`${visit.frame.root}${areas.admin.settings}`} hasFiles>
              <FileField
                name="logo"
                label={settings.logo.label}
                hint={formWords.atMost(settings.logo.hint ?? '', limit.size)}
                limit={limit}
                accept="image/png,image/jpeg"
              />
            </Form>
          </AreaPage>
        );
      },
      async act(visit, _fields, { logo }) {
        if (logo === undefined) throw new Error('A form without its file passed the checks.');
        const picture = await pictures.small(logo.path, largest, String(visit.me.login.id));
        if (picture === undefined) return refuse('no_picture');
        const text = `data:image/png;base64,${picture.toString('base64')}`;
        const changed = orFail(await store.change({ logo: text }, actorOf(visit)));
        return isRefused(changed) ? refuse('no_picture') : goTo(areas.admin.settings, { notice: 'settings_saved' });
      },
      refusals: { no_picture: { field: 'logo', text: names.noPackage } },
    }),
    click(tools, {
      id: 'admin-settings-remove-logo',
      path: `${path}/remove`,
      audience,
      async act(visit) {
        orFail(await store.change({ logo: '' }, actorOf(visit)));
        return goTo(areas.admin.settings, { notice: 'settings_saved' });
      },
      refusals: {},
    }),
  ];
}
