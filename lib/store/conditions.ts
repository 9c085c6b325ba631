type Operator = '=' | '<' | '>'

/** What must hold of an attribute for a write to happen. */
export type Term =
  | { readonly kind: 'absent' | 'present' }
  | { readonly kind: 'compare' | 'absent or'; readonly operator: Operator; readonly value: unknown }

export type Conditions = Readonly<Record<string, Term>>

export const absent: Term = { kind: 'absent' }
export const present: Term = { kind: 'present' }
export const is = (value: unknown): Term => ({ kind: 'compare', operator: '=', value })
export const above = (value: unknown): Term => ({ kind: 'compare', operator: '>', value })
export const below = (value: unknown): Term => ({ kind: 'compare', operator: '<', value })

/** Counters that nobody has counted up yet are absent. */
export const absentOrIs = (value: unknown): Term => ({ kind: 'absent or', operator: '=', value })
export const absentOrBelow = (value: unknown): Term => ({ kind: 'absent or', operator: '<', value })
