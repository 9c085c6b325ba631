import { BLANK } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'

/** A customer's name, which leads to its page. Without an id the name stands alone, without both a dash. */
export const CustomerLink = ({ id, name }: { readonly id: string | number; readonly name: string }) =>
  name === '' || id === '' ? (
    <span>{name || BLANK}</span>
  ) : (
    <a href={linkToRoute(['customers', id])}>{name}</a>
  )
