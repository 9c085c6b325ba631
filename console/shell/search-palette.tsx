import { useEffect, useRef, useState } from 'preact/hooks'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { read } from '../api/console-api.ts'
import { pathFor, useQuery } from '../api/use-query.ts'
import { useSearch } from '../api/use-search.ts'
import { linkToRoute } from '../base/route.ts'
import { linkToInvoice } from '../links/invoice-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { sectionsFor } from './sections.ts'

interface Target {
  readonly kind: string
  readonly title: string
  readonly href: string
}

/** Ctrl or Cmd with K, and /, open the search from everywhere; ? lists the shortcuts in it. */
export function SearchPalette({ session }: { readonly session: SessionAnswer }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => {
    if (dialog.current?.open) return
    dialog.current?.showModal()
    dialog.current?.querySelector('input')?.select()
  }
  useEffect(() => {
    const look = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  }, [])
  return (
    <>
      <button type="button" class="search-button" onClick={open}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>/</kbd>
      </button>
      <dialog ref={dialog} class="palette" aria-label="Search">
        <Search session={session} onDone={() => dialog.current?.close()} />
      </dialog>
    </>
  )
}

const TYPED_INTO = 'input, select, textarea, [contenteditable]'

function isShortcut(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) return true
  const isTyping = event.target instanceof Element && event.target.matches(TYPED_INTO)
  return !isTyping && (event.key === '/' || event.key === '?')
}

function Search({ session, onDone }: { readonly session: SessionAnswer; readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useSearch(text, targetsOf)
  const things = useThings(session, text !== '')
  const targets = [
    ...partsFound(text, session),
    ...thingsFound(text, things),
    ...found,
    ...numberFound(text, session),
  ]
  const go = (target: Target | undefined) => {
    if (!target) return
    location.hash = target.href
    setText('')
    onDone()
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setChosen((before) => Math.max(0, Math.min(targets.length - 1, before + step)))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    go(targets[chosen])
  }
  return (
    <form onSubmit={submit} onKeyDown={move}>
      <input
        class="input"
        type="text"
        aria-label="Search customers, numbers, invoices, calls and sections of the console"
        aria-controls="search-results"
        aria-activedescendant={targets[chosen] ? `search-${chosen}` : undefined}
        placeholder="A customer, a number, an invoice, a call id, a section of the console"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setChosen(0)
        }}
      />
      <Results text={text.trim()} targets={targets} chosen={chosen} onChoose={go} />
      <p class="muted shortcuts">
        <kbd>/</kbd> or <kbd>Ctrl</kbd> <kbd>K</kbd> search · <kbd>↑</kbd> <kbd>↓</kbd> choose, also in tables
        · <kbd>Enter</kbd> open · <kbd>Esc</kbd> close · <kbd>?</kbd> this list
      </p>
    </form>
  )
}

interface ResultsProps {
  readonly text: string
  readonly targets: readonly Target[]
  readonly chosen: number
  readonly onChoose: (target: Target) => void
}

const Results = ({ text, targets, chosen, onChoose }: ResultsProps) => (
  <>
    <div id="search-results" role="listbox" aria-label="Results">
      {targets.map((target, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the chosen one
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
        <div
          key={target.href}
          id={`search-${index}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => onChoose(target)}
        >
          <span>{target.title}</span> <span class="muted">{target.kind}</span>
        </div>
      ))}
    </div>
    {text !== '' && targets.length === 0 && (
      <p class="muted" role="status">
        {`No results for “${text}”: no customer, number, invoice, call, tariff, setting or page.`}
      </p>
    )}
  </>
)

const partsFound = (text: string, session: SessionAnswer): Target[] =>
  sectionsFor(session)
    .filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ name, title }) => ({ kind: 'section', title, href: linkToRoute([name]) }))

const ACTIONS = [
  { section: 'customers', title: 'Add a customer' },
  { section: 'tariffs', title: 'Add a tariff' },
  { section: 'switches', title: 'Add a switch' },
]

/** Tariffs, settings and actions, which are few: they are read once when somebody types. */
function useThings(session: SessionAnswer, isWanted: boolean): readonly Target[] {
  const tariffs =
    useQuery(isWanted ? pathFor(session, 'tariffs', '/tariffs') : undefined).value?.tariffs ?? []
  const hasSettings = isWanted && session.actions.includes('settings')
  const settings = useQuery(hasSettings ? '/settings' : undefined).value?.settings ?? []
  return [
    ...ACTIONS.filter(
      ({ section }) => session.type === 'admin' && sectionsFor(session).some(({ name }) => name === section),
    ).map(({ section, title }) => ({ kind: 'action', title, href: linkToRoute([section], { add: 'yes' }) })),
    ...tariffs.map(({ id, name }) => ({ kind: 'tariff', title: name, href: linkToRoute(['tariffs', id]) })),
    ...settings.map(({ name, label }) => ({
      kind: `setting ${name}`,
      title: label,
      href: linkToRoute(['settings'], { setting: name }),
    })),
  ]
}

const MOST_THINGS = 6

function thingsFound(text: string, things: readonly Target[]): readonly Target[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  return things
    .filter(({ title, kind }) => `${title} ${kind}`.toLowerCase().includes(wanted))
    .slice(0, MOST_THINGS)
}

function numberFound(text: string, session: SessionAnswer): Target[] {
  const digits = text.replaceAll(/[\s+()-]/g, '')
  if (!/^\d{3,}$/.test(digits) || !session.sections.includes('calls')) return []
  return [
    { kind: 'calls', title: `Calls from or to ${digits}`, href: linkToRoute(['calls'], { number: digits }) },
  ]
}

async function targetsOf(text: string): Promise<readonly Target[]> {
  const { customers, invoices, calls } = await read('/search', { text })
  return [
    ...customers.map(({ id, name, username }) => ({
      kind: `customer ${username}`,
      title: name,
      href: linkToRoute(['customers', id]),
    })),
    ...invoices.map(({ id, number, customer }) => ({
      kind: `invoice of ${customer.name}`,
      title: number,
      href: linkToInvoice(number, id),
    })),
    ...calls.map(({ id, uniqueid, at, customer }) => ({
      kind: `call of ${customer.name}, ${at}`,
      title: uniqueid,
      href: linkToRoute(['calls'], { call: id }),
    })),
  ]
}
