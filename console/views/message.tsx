interface MessageProps {
  readonly kind: 'error' | 'note' | 'done'
  readonly text: string
}

/** A sentence that a screen reader tells at once. */
export const Message = ({ kind, text }: MessageProps) => (
  <p class={`message ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {text}
  </p>
)
