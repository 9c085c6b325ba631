import { Fragment } from 'preact'
import { dash } from '../format.ts'

/** Names with one value each. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: string])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{dash(value)}</dd>
      </Fragment>
    ))}
  </dl>
)
