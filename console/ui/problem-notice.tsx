import { remedyOf } from '../api/refusals.ts'
import { Notice } from './notice.tsx'

/** What the API refused with, or what else went wrong, and what to do about it. */
export const ProblemNotice = ({ text }: { readonly text: string }) => (
  <Notice tone="bad" title={text}>
    {remedyOf(text)}
  </Notice>
)
