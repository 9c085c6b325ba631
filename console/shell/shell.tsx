import { type ComponentChildren, Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { useQuery } from '../api/use-query.ts'
import { focusMain } from '../base/focus.ts'
import { linkToRoute } from '../base/route.ts'
import { SUSPENSE_CHANGED } from '../suspense/suspense-acts.ts'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { AccountMenu } from './account-menu.tsx'
import { SearchPalette } from './search-palette.tsx'
import { type ConsoleSection, groupsFor, titleOfSection } from './sections.ts'
import { Wordmark } from './wordmark.tsx'

interface ShellProps {
  readonly section: string
  readonly session: SessionAnswer
  readonly onSignOut: () => void
  readonly children: ComponentChildren
}

/** The sections at the left, the search and the account above, and the section that is open. */
export const Shell = ({ section, session, onSignOut, children }: ShellProps) => (
  <div class="shell">
    <button type="button" class="skip" onClick={focusMain}>
      Skip to the content
    </button>
    <aside class="sidebar">
      <a class="wordmark" href="#/overview" aria-label="Tollgate, overview">
        <Wordmark />
      </a>
      <nav aria-label="Sections of the console">
        <SectionLinks section={section} session={session} />
      </nav>
    </aside>
    <div class="page">
      <header class="top">
        <SectionsMenu section={section} session={session} />
        <SearchPalette session={session} />
        <AccountMenu session={session} onSignOut={onSignOut} />
      </header>
      {children}
    </div>
  </div>
)

interface SectionLinksProps {
  readonly section: string
  readonly session: SessionAnswer
}

const SectionLinks = ({ section, session }: SectionLinksProps) => (
  <>
    {groupsFor(session).map(({ heading, sections }) => (
      <Fragment key={heading}>
        {heading && <h2 class="nav-group">{heading}</h2>}
        {sections.map((one) => (
          <SectionLink key={one.name} one={one} section={section} />
        ))}
      </Fragment>
    ))}
  </>
)

const SectionLink = ({
  one: { name, title, icon },
  section,
}: {
  readonly one: ConsoleSection
  readonly section: string
}) => (
  <a href={linkToRoute([name])} aria-current={name === section ? 'page' : undefined}>
    <Icon name={icon} />
    {title}
    {name === 'suspense' && <SuspenseCount isOpen={section === name} />}
  </a>
)

/** How many CDRs are suspended; a page of the list is counted, no more. Switches add to it meanwhile. */
function SuspenseCount({ isOpen }: { readonly isOpen: boolean }) {
  const { value, again } = useQuery('/suspense')
  useEffect(() => {
    addEventListener(SUSPENSE_CHANGED, again)
    return () => removeEventListener(SUSPENSE_CHANGED, again)
  }, [again])
  useEffect(() => {
    if (isOpen) again()
  }, [isOpen, again])
  if (!value || value.entries.length === 0) return null
  return <span class="count">{`${value.entries.length}${value.next === null ? '' : '+'}`}</span>
}

/** On a phone a button that names the current section opens the list. Choosing another one closes it. */
function SectionsMenu({ section, session }: SectionLinksProps) {
  const title = titleOfSection(section)
  return (
    <div class="sections-menu">
      <Popup
        key={section}
        kind=""
        label={`Section of the console: ${title}`}
        shown={
          <>
            {title}
            <Icon name="chevron" />
          </>
        }
      >
        {() => (
          <nav aria-label="Sections">
            <SectionLinks section={section} session={session} />
          </nav>
        )}
      </Popup>
    </div>
  )
}
