import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { IconName } from '../ui/icon.tsx'

export interface ConsoleSection {
  readonly name: string
  readonly title: string
  readonly icon: IconName
}

/** The sections under their headings, in the order of the sidebar. */
const GROUPS: readonly (readonly [heading: string, sections: readonly ConsoleSection[]])[] = [
  ['', [{ name: 'overview', title: 'Overview', icon: 'gauge' }]],
  [
    'Traffic',
    [
      { name: 'calls', title: 'Calls', icon: 'phone' },
      { name: 'suspense', title: 'Suspense', icon: 'pause' },
      { name: 'reports', title: 'Reports', icon: 'chart' },
    ],
  ],
  [
    'Customers',
    [
      { name: 'customers', title: 'Customers', icon: 'people' },
      { name: 'billing', title: 'Billing', icon: 'invoice' },
      { name: 'subscriptions', title: 'Subscriptions', icon: 'repeat' },
      { name: 'dids', title: 'DIDs', icon: 'hash' },
      { name: 'locations', title: 'Locations', icon: 'pin' },
    ],
  ],
  [
    'Prices',
    [
      { name: 'tariffs', title: 'Tariffs', icon: 'tag' },
      { name: 'providers', title: 'Providers', icon: 'network' },
      { name: 'reratings', title: 'Re-rating', icon: 'coins' },
      { name: 'services', title: 'Services', icon: 'book' },
      { name: 'currencies', title: 'Currencies', icon: 'exchange' },
    ],
  ],
  [
    'Installation',
    [
      { name: 'switches', title: 'Switches', icon: 'route' },
      { name: 'imports', title: 'Imports', icon: 'upload' },
      { name: 'settings', title: 'Settings', icon: 'gear' },
    ],
  ],
  [
    'Developers',
    [
      { name: 'keys', title: 'Keys', icon: 'key' },
      { name: 'webhooks', title: 'Webhooks', icon: 'hook' },
      { name: 'explorer', title: 'Explorer', icon: 'terminal' },
      { name: 'refused-hash', title: 'Refused hash', icon: 'stethoscope' },
    ],
  ],
]

/** The groups with the sections that an account may use; the others are not shown. */
export const groupsFor = ({ sections }: Pick<SessionAnswer, 'sections'>) =>
  GROUPS.map(([heading, all]) => ({
    heading,
    sections: all.filter(({ name }) => sections.some((one) => one === name)),
  })).filter((group) => group.sections.length > 0)

export const sectionsFor = (session: Pick<SessionAnswer, 'sections'>): readonly ConsoleSection[] =>
  groupsFor(session).flatMap(({ sections }) => sections)

export const titleOfSection = (name: string): string =>
  GROUPS.flatMap(([, sections]) => sections).find((section) => section.name === name)?.title ?? 'No such page'
