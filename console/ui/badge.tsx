export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral'

interface BadgeProps {
  readonly tone?: Tone
  readonly text: string
}

/** A state in one or two words; the colour repeats what the words say. */
export const Badge = ({ tone = 'neutral', text }: BadgeProps) => <span class={`badge ${tone}`}>{text}</span>
