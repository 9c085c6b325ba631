import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { RefusedRequest } from '../api/console-api.ts'
import { linkToRoute, useRoute } from '../base/route.ts'
import { type Advice, adviceIn } from './advice.ts'
import { remedyIn } from './remedies.ts'

/** The sections of the account. Without a session there are none, and every remedy is a command. */
export const SectionNames = createContext<readonly string[] | undefined>(undefined)

/** The remedy of a refusal: what the API names, otherwise what its sentence ends with. */
export const Remedy = ({ problem: { message, remedy } }: { readonly problem: RefusedRequest }) => (
  <Help {...(remedy ? remedyIn(remedy) : adviceIn(message))} />
)

/** A link to the place of the page, unless one is there already, or the command for the operator. */
function Help({ command, help }: Omit<Advice, 'fact'>) {
  const sections = useContext(SectionNames)
  const isThere = help?.section === useRoute().section && command !== undefined
  if (help && sections?.includes(help.section) && !isThere)
    return <a href={linkToRoute([help.section, ...(help.id ? [help.id] : [])], help.values)}>{help.text}</a>
  if (command === undefined) return null
  if (sections && !sections.includes('settings')) return <>Whoever operates this installation can do that.</>
  return (
    <>
      At the terminal: <code>{command}</code>
    </>
  )
}

/** A message as a cell or a sentence shows it. */
export const Message = ({ text }: { readonly text: string }) => (
  <>
    {adviceIn(text).fact} <Help {...adviceIn(text)} />
  </>
)
