import { remedyOf } from '../api/refusals.ts'
import { Notice } from '../ui/notice.tsx'
import { Message } from './remedy.tsx'

/** Shows the refusal of the API or another error, and the remedy. */
export const ProblemNotice = ({ text }: { readonly text: string }) => (
  <Notice tone="bad" title={text}>
    <Message text={remedyOf(text) ?? ''} />
  </Notice>
)
