import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { linkToRoute } from '../base/route.ts'
import { adviceIn } from './advice.ts'

/** The sections of the account. Without a session there are none, and every remedy is a command. */
export const SectionNames = createContext<readonly string[] | undefined>(undefined)

/** The remedy of a message: a link to the place of the page, or the command for the operator. */
export function Remedy({ message }: { readonly message: string }) {
  const sections = useContext(SectionNames)
  const { command, help } = adviceIn(message)
  if (command === undefined) return null
  if (help && sections?.includes(help.section))
    return <a href={linkToRoute([help.section], help.values)}>{help.text}</a>
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
    {adviceIn(text).fact} <Remedy message={text} />
  </>
)
