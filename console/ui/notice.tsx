import type { ComponentChildren } from 'preact'
import type { Tone } from './badge.tsx'
import { Icon, type IconName } from './icon.tsx'

interface NoticeProps {
  readonly tone: Exclude<Tone, 'neutral'>
  readonly title: string
  /** The remedy. */
  readonly children?: ComponentChildren
}

const ICONS: Readonly<Record<NoticeProps['tone'], IconName>> = {
  good: 'check',
  warn: 'alert',
  bad: 'alert',
  info: 'info',
}

/** A sentence that a screen reader reads out immediately, with its remedy. */
export const Notice = ({ tone, title, children }: NoticeProps) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <Icon name={ICONS[tone]} />
    <div>
      <strong>{title}</strong>
      {children && <div class="remedy">{children}</div>}
    </div>
  </div>
)
