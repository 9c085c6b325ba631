import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { placeBelow } from '../ui/menu.tsx'
import { Wordmark } from './wordmark.tsx'

const PARTS = [
  ['dashboard', 'Dashboard'],
  ['devices', 'Devices'],
  ['rates', 'Rates'],
  ['invoices', 'Invoices'],
  ['explorer', 'Explorer'],
  ['doctor', 'Doctor'],
] as const

export const titleOfPart = (part: string): string => PARTS.find(([name]) => name === part)?.[1] ?? 'Explorer'

interface AppHeaderProps {
  readonly part: string
  readonly username: string
  readonly onSignOut: () => void
}

/** The name of the product, the parts of the console and who is signed in, in one row. */
export const AppHeader = ({ part, username, onSignOut }: AppHeaderProps) => (
  <header class="top">
    <a class="wordmark" href="#/explorer" aria-label="Tollgate">
      <Wordmark />
    </a>
    <nav class="parts" aria-label="Parts of the console">
      <PartLinks part={part} />
    </nav>
    <PartsMenu part={part} />
    <div class="signer">
      <span class="name muted" title={`Signed in as ${username}`}>
        {username}
      </span>
      <Button small onClick={onSignOut}>
        Sign out
      </Button>
    </div>
  </header>
)

const PartLinks = ({ part }: { readonly part: string }) => (
  <>
    {PARTS.map(([name, title]) => (
      <a key={name} href={`#/${name}`} aria-current={name === part ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </>
)

/** On a phone the parts are behind a button that names the current one. */
function PartsMenu({ part }: { readonly part: string }) {
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLElement>(null)
  const open = () => {
    list.current?.togglePopover()
    if (button.current && list.current) placeBelow(button.current, list.current)
  }
  useEffect(() => list.current?.hidePopover(), [part])
  const title = titleOfPart(part)
  return (
    <div class="parts-menu">
      <button
        ref={button}
        type="button"
        class="button"
        aria-label={`Part of the console: ${title}`}
        onClick={open}
      >
        {title}
        <Icon name="chevron" />
      </button>
      <nav ref={list} class="menu-list" popover="auto" aria-label="Parts">
        <PartLinks part={part} />
      </nav>
    </div>
  )
}
