/** In seconds: what a call is charged for at least, and the step beyond that. */
export interface Billing {
  readonly min_time: string
  readonly increment: string
}

/** `60/60`, `60/1`, `1+1`, `30-6`: the first step, then the further ones; one number alone is every step. */
export function billingOf(cell: string): Billing | undefined {
  const plain = cell.replace(/\s*(seconds?|secs?|s)\b\.?/gi, '').trim()
  const [, first, further] = /^(\d{1,5})(?:\s*[/+:;|-]\s*(\d{1,5}))?$/.exec(plain) ?? []
  if (first === undefined) return undefined
  return further === undefined ? { min_time: '0', increment: first } : { min_time: first, increment: further }
}
