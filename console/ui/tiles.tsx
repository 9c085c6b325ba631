import type { ComponentChildren } from 'preact'

interface TileProps {
  readonly title: string
  readonly figure: ComponentChildren
  readonly below?: ComponentChildren
}

/** The figures that matter most of a thing, side by side. */
export const Tiles = ({ children }: { readonly children: ComponentChildren }) => (
  <dl class="key-tiles">{children}</dl>
)

export const Tile = ({ title, figure, below }: TileProps) => (
  <div class="card key-tile">
    <dt>{title}</dt>
    <dd>
      <strong>{figure}</strong>
      {below && <span class="muted">{below}</span>}
    </dd>
  </div>
)
