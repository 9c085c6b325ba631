/** How the text of a parameter becomes a column; `undefined` when it does not. */
interface Field {
  readonly read: (text: string) => string | number | boolean | undefined
  /** The words of the refusal; without any, `<parameter> is invalid`. */
  readonly refusal?: string
  /** The column's name, where it is not the parameter's. */
  readonly column?: string
}

type Fields = Readonly<Record<string, Field>>

/** The columns that the texts become. */
type Columns<T extends Fields> = {
  [N in keyof T as T[N] extends { readonly column: infer C extends string } ? C : N]?: Exclude<
    ReturnType<T[N]['read']>,
    undefined
  >
}

/** What may be among the sent parameters; what is not a text was read already. */
type Sent = Readonly<Record<string, unknown>>

/** Parameters that are texts on the wire and refused in words of their own, in the order in which they are refused. */
export function defineFields<const T extends Fields>(fields: T) {
  type Name = keyof T & string
  const names = Object.keys(fields) as Name[]
  const readIn = (sent: Sent, name: Name) => {
    const text = sent[name]
    return typeof text === 'string' ? { value: fields[name]?.read(text) } : undefined
  }

  return {
    /** The refusals of these fields, by field, for a contract. */
    errors: <N extends Name = Name>(...of: N[]): Record<N, string> =>
      Object.fromEntries(
        (of.length > 0 ? of : names).map((name) => [name, fields[name]?.refusal ?? `${name} is invalid`]),
      ) as Record<N, string>,

    /** The first of the fields that was sent with a value it cannot have. */
    wrong: <N extends Name = Name>(sent: Sent, among: readonly N[] = names as N[]): N | undefined =>
      among.find((name) => {
        const found = readIn(sent, name)
        return found && found.value === undefined
      }),

    /** The columns that the sent fields set; to be asked once nothing is wrong. */
    columns: (sent: Sent, among: readonly Name[] = names): Columns<T> =>
      Object.fromEntries(
        among.flatMap((name) => {
          const found = readIn(sent, name)
          return found ? [[fields[name]?.column ?? name, found.value]] : []
        }),
      ) as Columns<T>,
  }
}

/** A whole number of at most `digits` digits; a blank text stands for `blank`. */
export function countOf(text: string, blank = 0, digits = 9): number | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return blank
  return /^\d+$/.test(trimmed) && trimmed.length <= digits ? Number(trimmed) : undefined
}

/** One of these words, exactly; a blank text stands for `blank`. */
export const wordAmong = <W extends string>(
  words: readonly W[],
  text: string,
  blank?: NoInfer<W>,
): W | undefined => words.find((word) => word === (text.trim() || blank))

/** Trimmed text of this form. */
export function matching(form: RegExp, text: string): string | undefined {
  const trimmed = text.trim()
  return form.test(trimmed) ? trimmed : undefined
}

/** 1 or 0. */
export function flagOf(text: string): boolean | undefined {
  const trimmed = text.trim()
  if (trimmed === '1') return true
  return trimmed === '0' ? false : undefined
}
