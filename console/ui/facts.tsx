import { type ComponentChild, Fragment } from 'preact'
import { dash } from '../base/format.ts'

/** A name with its value: a text, or what shows it. */
export type Fact = readonly [name: string, value: ComponentChild]

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{typeof value === 'string' ? dash(value) : value}</dd>
      </Fragment>
    ))}
  </dl>
)
