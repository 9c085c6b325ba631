import { type ComponentChildren, Fragment } from 'preact'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { SuspenseAnswer } from '#lib/api/console/answers/suspense.ts'
import { useReading } from '../api/use-query.ts'
import { focusMain } from '../base/focus.ts'
import { linkToPlace } from '../base/route.ts'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { AccountMenu } from './account-menu.tsx'
import { SearchPalette } from './search-palette.tsx'
import { type ConsolePart, groupsFor, titleOfPart } from './sections.ts'
import { Wordmark } from './wordmark.tsx'

interface ShellProps {
  readonly part: string
  readonly session: SessionAnswer
  readonly onSignOut: () => void
  readonly children: ComponentChildren
}

/** The parts at the left, the search and the account above, and the part that is open. */
export const Shell = ({ part, session, onSignOut, children }: ShellProps) => (
  <div class="shell">
    <button type="button" class="skip" onClick={focusMain}>
      Skip to the content
    </button>
    <aside class="sidebar">
      <a class="wordmark" href="#/overview" aria-label="Tollgate, overview">
        <Wordmark />
      </a>
      <nav aria-label="Parts of the console">
        <PartLinks part={part} session={session} />
      </nav>
    </aside>
    <div class="page">
      <header class="top">
        <PartsMenu part={part} session={session} />
        <SearchPalette session={session} />
        <AccountMenu session={session} onSignOut={onSignOut} />
      </header>
      {children}
    </div>
  </div>
)

interface PartLinksProps {
  readonly part: string
  readonly session: SessionAnswer
}

const PartLinks = ({ part, session }: PartLinksProps) => (
  <>
    {groupsFor(session).map(({ heading, parts }) => (
      <Fragment key={heading}>
        {heading && <h2 class="nav-group">{heading}</h2>}
        {parts.map((one) => (
          <PartLink key={one.name} one={one} part={part} />
        ))}
      </Fragment>
    ))}
  </>
)

const PartLink = ({
  one: { name, title, icon },
  part,
}: {
  readonly one: ConsolePart
  readonly part: string
}) => (
  <a href={linkToPlace([name])} aria-current={name === part ? 'page' : undefined}>
    <Icon name={icon} />
    {title}
    {name === 'suspense' && <SuspenseCount />}
  </a>
)

/** How many CDRs are suspended; a page of the list is counted, no more. */
function SuspenseCount() {
  const { value } = useReading<SuspenseAnswer>('/suspense')
  if (!value || value.entries.length === 0) return null
  return <span class="count">{`${value.entries.length}${value.next === null ? '' : '+'}`}</span>
}

/** On a phone a button that names the current part opens the list of parts. Another part closes them. */
function PartsMenu({ part, session }: PartLinksProps) {
  const title = titleOfPart(part)
  return (
    <div class="parts-menu">
      <Popup
        key={part}
        kind=""
        label={`Part of the console: ${title}`}
        shown={
          <>
            {title}
            <Icon name="chevron" />
          </>
        }
      >
        {() => (
          <nav aria-label="Parts">
            <PartLinks part={part} session={session} />
          </nav>
        )}
      </Popup>
    </div>
  )
}
