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

const notBuilt = (program: string, method: string, path = method): ProgramCall => ({
  program,
  method,
  path: `/billing/api/${path}`,
  checked: NOT_BUILT,
  unchecked: NOT_BUILT,
})

/** As a program reads that turns XML into objects and follows a path of names. */
const textAt =
  (...names: readonly string[]) =>
  (document: string): string | undefined => {
    const opened = names.map((name) => `<${name}(?: [^>]*)?>`).join('(?:<[^>]*>[^<]*</[^>]*>)*')
    return new RegExp(`^<\\?xml[^>]*>${opened}([^<]*)`).exec(document)?.[1]
  }

/** As a program reads that looks for a block with the exact name of a user. */
const idOfUser =
  (username: string) =>
  (document: string): string | undefined =>
    document
      .split('<user>')
      .find((block) => block.includes(`<username>${username}</username>`))
      ?.match(/<id>(\d+)<\/id>/)?.[1]

/** In the order of the programs. The numbers are those of docs/known-programs.md. */
export const programCalls: readonly ProgramCall[] = [
  notBuilt('C1', 'user_register'),
  notBuilt('C1', 'user_details_get'),
  notBuilt('C1', 'user_balance_update'),
  {
    program: 'C2',
    method: 'user_logout',
    path: '/billing/api/user_logout',
    request: {
      verb: 'GET',
      way: 'query',
      sent: { u: 'bob' },
      signs: [],
      read: textAt('action', 'status'),
      finds: 'ok',
    },
    checked: SERVED,
    unchecked: SERVED,
  },
  {
    program: 'C2',
    method: 'payment_create',
    path: '/billing/api/payment_create',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { u: 'admin', user_id: '10', p_currency: 'USD', amount: '12.5' },
      signs: ['user_id', 'p_currency', 'amount'],
      read: textAt('page', 'response', 'status'),
      finds: 'ok',
    },
    checked: SERVED,
    unchecked: SERVED,
  },
  notBuilt('C2', 'user_balance_get'),
  notBuilt('C2', 'user_details_get'),
  notBuilt('C3', 'user_register', 'user_register.php'),
  notBuilt('C3', 'user_balance_get'),
  notBuilt('C3', 'user_details_get'),
  notBuilt('C4', 'user_register'),
  notBuilt('C4', 'user_balance_get_by_username'),
  notBuilt('C6', 'user_register'),
  {
    program: 'C7',
    method: 'user_logout',
    path: '/billing/api/logout/',
    request: {
      verb: 'POST',
      way: 'unencoded',
      sent: { u: 'bob', p: 'pass word/of:bob' },
      read: textAt('action', 'status'),
      finds: 'ok',
    },
    checked: 'Incorrect hash',
    unchecked: SERVED,
  },
  notBuilt('C7', 'user_register'),
  notBuilt('C7', 'user_balance_get', 'balance/'),
  notBuilt('C10', 'user_simple_balance_get', 'simple_balance/<uniquehash>'),
  {
    program: 'C11',
    method: 'users_get',
    path: '/billing/api/users_get',
    request: {
      verb: 'GET',
      way: 'query',
      sent: { u: 'admin', p: 'password of admin', hash: 'hash-of-admin' },
      read: idOfUser('carol'),
      finds: '20',
    },
    checked: 'Incorrect hash',
    unchecked: SERVED,
  },
  notBuilt('C11', 'user_register'),
  notBuilt('C11', 'user_details_update', 'user_update'),
]
