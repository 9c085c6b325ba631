import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SentValues } from '../api/catalogue.ts'
import type { RefusedRequest } from '../api/console-api.ts'
import { linkToRoute, useRoute } from '../base/route.ts'
import { remedyIn, type ShownRemedy } from './remedies.ts'

/** The sections of the account. Without a session there are none, and every remedy is a command. */
export const SectionNames = createContext<readonly string[] | undefined>(undefined)

/** The remedy that the API names for a refusal. */
export const Remedy = ({ problem: { remedy } }: { readonly problem: Pick<RefusedRequest, 'remedy'> }) =>
  remedy ? <WayOut {...remedyIn(remedy)} /> : null

/** A link to the place of the page, unless one is there already, or the command for the operator. */
export function WayOut({ command, help }: ShownRemedy) {
  const sections = useContext(SectionNames)
  const isThere = help?.section === useRoute().section && command !== undefined
  if (help && sections?.includes(help.section) && !isThere)
    return <a href={linkToRoute([help.section, ...(help.id ? [help.id] : [])], help.values)}>{help.text}</a>
  if (command === undefined) return null
  if (sections && !sections.includes('settings')) return <>The operator of this installation can do that.</>
  return (
    <>
      At the terminal: <code>{command}</code>
    </>
  )
}

/** A message as a cell shows it, with its remedy. */
export const Message = ({ text, remedy }: { readonly text: string; readonly remedy: SentValues | null }) => (
  <>
    {text} {remedy && <WayOut {...remedyIn(remedy)} />}
  </>
)
