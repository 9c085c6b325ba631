const WHOLE_DAY = ' 00:00:00 to 23:59:59'

/** The hours of a rate, such as `weekday 20:00:00 to 06:59:59`: seconds and whole days say nothing. */
export const hoursInWords = (hours: string): string =>
  hours === `everyday${WHOLE_DAY}`
    ? 'always'
    : hours
        .replace(WHOLE_DAY, '')
        .replace(/^(\w+day|weekend)\b/, '$1s')
        .replace('everydays', 'every day')
        .replaceAll(/(\d\d:\d\d):\d\d/g, '$1')

/** The least billed seconds and the step, such as `60/1`. */
export const stepsOf = (rate: { readonly minimum: number; readonly increment: number }): string =>
  `${Math.max(rate.minimum, rate.increment)}/${rate.increment}`

/** The callers whom a rate charges. */
export const callersOf = ({
  origin,
  adds,
}: {
  readonly origin: string | null
  readonly adds: boolean
}): string => (adds ? `added for ${origin}` : (origin ?? 'all'))
