/** What changes the amount that an account owes, in the order of a day: what raises it comes first. */
export const MOVEMENT_KINDS = [
  ...(['invoice', 'from_balance', 'credit_note', 'payment', 'refund', 'taken_back'] as const),
  ...(['write_off', 'conversion'] as const),
]

export type MovementKind = (typeof MOVEMENT_KINDS)[number]
