import type { ComponentChildren } from 'preact'

/** Text as a machine writes and reads it. */
export const Code = ({ children }: { readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
  <pre class="code" tabIndex={0}>
    {children}
  </pre>
)

interface QrImageProps {
  readonly code: { readonly side: number; readonly path: string }
  readonly label: string
}

/** A code that a camera reads. */
export const QrImage = ({ code: { side, path }, label }: QrImageProps) => (
  <svg class="qr-code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
    <path d={path} />
  </svg>
)
