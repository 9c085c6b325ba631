import { BLANK } from '../base/format.ts'
import { linkToPlace } from '../base/route.ts'

/** A customer's name, which leads to its page. Without an id the name stands alone, without both a dash. */
export const CustomerLink = ({ id, name }: { readonly id: string | number; readonly name: string }) =>
  name === '' || id === '' ? (
    <span>{name || BLANK}</span>
  ) : (
    <a href={linkToPlace(['customers', id])}>{name}</a>
  )
