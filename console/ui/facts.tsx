import { Fragment } from 'preact'

/** Names with one value each. */
export const Facts = ({ facts }: { readonly facts: Readonly<Record<string, string>> }) => (
  <dl class="facts">
    {Object.entries(facts).map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value || '–'}</dd>
      </Fragment>
    ))}
  </dl>
)
