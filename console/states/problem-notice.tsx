import { wayOutOf } from '../api/refusals.ts'
import { Notice } from '../ui/notice.tsx'
import { WayOut } from './remedy.tsx'

/** Shows the refusal of the API or another error, and the remedy. */
export const ProblemNotice = ({ text }: { readonly text: string }) => {
  const { says = '', setting } = wayOutOf(text)
  return (
    <Notice tone="bad" title={text}>
      {says}{' '}
      {setting && <WayOut help={{ section: 'settings', values: { setting }, text: `Set ${setting}` }} />}
    </Notice>
  )
}
