import { namesIn } from './collections.ts'

type Fields = Readonly<
  Record<
    string,
    {
      /** Converts the text of a parameter to the value of a column; `undefined` if it is invalid. */
      readonly read: (text: string) => string | number | boolean | undefined
      /** The message of the refusal; `<parameter> is invalid` by default. */
      readonly refusal?: string
      /** The column's name, if it differs from the parameter's. */
      readonly column?: string
    }
  >
>

/** The columns that the fields set, with their types. */
type Columns<T extends Fields> = {
  [N in keyof T as T[N] extends { readonly column: infer C extends string } ? C : N]?: Exclude<
    ReturnType<T[N]['read']>,
    undefined
  >
}

/** The parameters of a request. Values other than text were read already and are ignored here. */
type Params = Readonly<Record<string, unknown>>

/** Declares parameters that are validated by the method itself, in the order in which they are refused. */
export function defineFields<const T extends Fields>(fields: T) {
  type Name = keyof T & string
  const names = namesIn(fields)
  const readIn = (sent: Params, name: Name) => {
    const text = sent[name]
    return typeof text === 'string' ? { value: fields[name]?.read(text) } : undefined
  }

  return {
    /** The refusal messages of these fields, by field name, for a contract. */
    errors: <N extends Name = Name>(...of: N[]): Record<N, string> =>
      Object.fromEntries(
        (of.length > 0 ? of : names).map((name) => [name, fields[name]?.refusal ?? `${name} is invalid`]),
      ) as Record<N, string>,

    /** The first field that was sent with an invalid value. */
    wrong: <N extends Name = Name>(sent: Params, among: readonly N[] = names as N[]): N | undefined =>
      among.find((name) => {
        const found = readIn(sent, name)
        return found && found.value === undefined
      }),

    /** The columns that the sent fields set. Call it only if `wrong` found nothing. */
    columns: (sent: Params, among: readonly Name[] = names): Columns<T> =>
      Object.fromEntries(
        among.flatMap((name) => {
          const found = readIn(sent, name)
          return found ? [[fields[name]?.column ?? name, found.value]] : []
        }),
      ) as Columns<T>,
  }
}

/** Reads a whole number of at most `digits` digits; blank text means `blank`. */
export function readCount(text: string, blank = 0, digits = 9): number | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return blank
  return /^\d+$/.test(trimmed) && trimmed.length <= digits ? Number(trimmed) : undefined
}

/** Reads one of these words, exactly; blank text means `blank`. */
export const wordAmong = <W extends string>(
  words: readonly W[],
  text: string,
  blank?: NoInfer<W>,
): W | undefined => words.find((word) => word === (text.trim() || blank))

export function matching(form: RegExp, text: string): string | undefined {
  const trimmed = text.trim()
  return form.test(trimmed) ? trimmed : undefined
}

/** Reads `1` or `0`. */
export function flagOf(text: string): boolean | undefined {
  const trimmed = text.trim()
  if (trimmed === '1') return true
  return trimmed === '0' ? false : undefined
}

/** The id of no object, since ids are whole numbers from 0. It replaces an ill-typed id (wire.md 4.6). */
export const NO_SUCH_ID = -1
