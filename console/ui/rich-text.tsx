import { Fragment } from 'preact'

/** A sentence of the API's description, in which backticks mark what is written literally. */
export const RichText = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split('`')
      .map((piece, index) =>
        index % 2 === 1 ? <code key={index}>{piece}</code> : <Fragment key={index}>{piece}</Fragment>,
      )}
  </>
)
