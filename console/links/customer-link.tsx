import { BLANK } from '../format.ts'
import { linkToPlace } from '../place.ts'

/** A customer's name, which leads to its page; a dash without one. */
export const CustomerLink = ({ id, name }: { readonly id: string | number; readonly name: string }) =>
  name === '' ? <span>{BLANK}</span> : <a href={linkToPlace(['customers', id])}>{name}</a>
