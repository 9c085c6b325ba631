/** The parameters of a request, and those that the program signs, in its order. */
interface ProgramRequest {
  readonly verb: 'GET' | 'POST'
  /** Where the parameters are. `unencoded` is a form whose values are only joined by `&`. */
  readonly way: 'query' | 'form' | 'unencoded'
  readonly sent: Readonly<Record<string, string>>
  /** Without it the program sends no hash, or the one in `sent`. */
  readonly signs?: readonly string[]
  /** Returns what the program takes from the answer; `undefined` if it finds nothing. */
  readonly read: (document: string) => string | undefined
  readonly finds: string
}

/** A call of a program in use to a method of a portal, and the outcome while hashes are checked and while they are not. */
export interface ProgramCall {
  readonly program: string
  readonly method: string
  /** The path that it has compiled in. */
  readonly path: string
  /** Missing while the method does not exist. */
  readonly request?: ProgramRequest
  readonly checked: string
  readonly unchecked: string
}

export const SERVED = 'served'

export const NOT_BUILT = 'the method does not exist yet'

export const notBuilt = (program: string, method: string): ProgramCall => ({
  program,
  method,
  path: `/billing/api/${method}`,
  checked: NOT_BUILT,
  unchecked: NOT_BUILT,
})

/** As a program reads that turns XML into objects and follows a path of names. */
export const textAt =
  (...names: readonly string[]) =>
  (document: string): string | undefined => {
    const opened = names.map((name) => `<${name}(?: [^>]*)?>`).join('(?:<[^>]*>[^<]*</[^>]*>)*')
    return new RegExp(`^<\\?xml[^>]*>${opened}([^<]*)`).exec(document)?.[1]
  }

/** As a program reads that looks for a block with the exact name of a user. */
export const idOfUser =
  (username: string) =>
  (document: string): string | undefined =>
    document
      .split('<user>')
      .find((block) => block.includes(`<username>${username}</username>`))
      ?.match(/<id>(\d+)<\/id>/)?.[1]

/** As a program reads that shows the whole answer. */
export const wholeText = (document: string): string => document.trim()

export const REFUSED = 'Incorrect hash'

/** The fields of a registration that programs fill in, for a name of their own. */
export const person = (username: string): Readonly<Record<string, string>> => ({
  username,
  password: `password of ${username}`,
  password2: `password of ${username}`,
  first_name: 'Jane',
  last_name: 'Doe',
  email: `${username}@example.com`,
  device_type: 'SIP',
})

export const registered = { read: textAt('page', 'status'), finds: 'Registration successful' } as const

export const SIX_VALUES = ['email', 'id', 'device_type', 'username', 'first_name', 'last_name']

export const NO_BALANCE = '0.0000'
