import { Fragment } from 'preact'

/** A sentence of the API's description, in which backticks mark what is written literally. */
export const RichText = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split('`')
      .map((piece, at) =>
        at % 2 === 1 ? <code key={at}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>,
      )}
  </>
)
