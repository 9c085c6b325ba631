import type { ComponentChildren } from 'preact'

/** Text as a machine writes and reads it. */
export const Code = ({ children }: { readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
  <pre class="code" tabIndex={0}>
    {children}
  </pre>
)
