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

const notBuilt = (program: string, method: string): ProgramCall => ({
  program,
  method,
  path: `/billing/api/${method}`,
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

/** As a program reads that shows the whole answer. */
const wholeText = (document: string): string => document.trim()

const REFUSED = 'Incorrect hash'

/** The fields of a registration that programs fill in, for a name of their own. */
const person = (username: string): Readonly<Record<string, string>> => ({
  username,
  password: `password of ${username}`,
  password2: `password of ${username}`,
  first_name: 'Jane',
  last_name: 'Doe',
  email: `${username}@example.com`,
  device_type: 'SIP',
})

const registered = { read: textAt('page', 'status'), finds: 'Registration successful' } as const

const SIX_VALUES = ['email', 'id', 'device_type', 'username', 'first_name', 'last_name']

const NO_BALANCE = '0.0000'

/** In the order of the programs. The numbers are those of docs/known-programs.md. */
export const programCalls: readonly ProgramCall[] = [
  {
    program: 'C1',
    method: 'user_register',
    path: '/billing/api/user_register',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { id: 'hash-of-admin', ...person('c1'), country_id: '10', currency: 'USD' },
      ...registered,
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
  {
    program: 'C1',
    method: 'user_details_get',
    path: '/billing/api/user_details_get',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { u: 'bob', user_id: '10' },
      read: textAt('page', 'pagename'),
      finds: 'Personal_details',
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
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
  {
    program: 'C2',
    method: 'user_balance_get',
    path: '/billing/api/user_balance_get',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { u: 'admin', username: 'carol' },
      signs: ['username'],
      read: textAt('page', 'balance'),
      finds: NO_BALANCE,
    },
    checked: SERVED,
    unchecked: SERVED,
  },
  {
    program: 'C2',
    method: 'user_details_get',
    path: '/billing/api/user_details_get',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { user_id: '20' },
      signs: ['user_id'],
      read: textAt('page', 'pagename'),
      finds: 'Personal_details',
    },
    checked: 'Access Denied',
    unchecked: 'Access Denied',
  },
  {
    program: 'C3',
    method: 'user_register',
    path: '/billing/api/user_register.php',
    request: {
      verb: 'POST',
      way: 'form',
      sent: { id: 'hash-of-admin', ...person('c3'), country_id: '10' },
      ...registered,
    },
    checked: 'Unknown method',
    unchecked: 'Unknown method',
  },
  {
    program: 'C3',
    method: 'user_balance_get',
    path: '/billing/api/user_balance_get',
    request: {
      verb: 'GET',
      way: 'query',
      sent: { u: 'admin', username: 'carol', hash: '0'.repeat(40) },
      read: (document) => /<page>.*?<balance>([^<]*)/.exec(document)?.[1],
      finds: NO_BALANCE,
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
  {
    program: 'C3',
    method: 'user_details_get',
    path: '/billing/api/user_details_get',
    request: {
      verb: 'POST',
      way: 'form',
      sent: { u: 'admin', username: 'carol' },
      read: textAt('page', 'pagename'),
      finds: 'Personal_details',
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
  {
    program: 'C4',
    method: 'user_register',
    path: '/billing/api/user_register',
    request: {
      verb: 'POST',
      way: 'form',
      sent: { id: 'hash-of-admin', email: 'c4@example.com' },
      signs: ['email', 'id'],
      ...registered,
    },
    checked: 'Please enter username',
    unchecked: 'Please enter username',
  },
  {
    program: 'C4',
    method: 'user_balance_get_by_username',
    path: '/billing/api/user_balance_get_by_username',
    request: {
      verb: 'GET',
      way: 'query',
      sent: { id: '2001', currency: 'USER' },
      read: wholeText,
      finds: NO_BALANCE,
    },
    checked: SERVED,
    unchecked: SERVED,
  },
  {
    program: 'C6',
    method: 'user_register',
    path: '/billing/api/user_register',
    request: {
      verb: 'POST',
      way: 'query',
      sent: { id: 'hash-of-admin', ...person('c6'), country_id: '10', API_Secret_Key: 'sent-by-mistake' },
      signs: SIX_VALUES,
      ...registered,
    },
    checked: SERVED,
    unchecked: SERVED,
  },
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
  {
    program: 'C7',
    method: 'user_register',
    path: '/billing/api/user_register',
    request: {
      verb: 'POST',
      way: 'unencoded',
      sent: {
        id: 'd41d8cd98f00b204e9800998ecf8427e',
        username: 'c7',
        password: 'password of c7',
        password2: 'password of c7',
        email: 'c7@example.com',
      },
      ...registered,
    },
    checked: REFUSED,
    unchecked: 'Dont be so smart',
  },
  {
    program: 'C7',
    method: 'user_balance_get',
    path: '/billing/api/balance/',
    request: {
      verb: 'POST',
      way: 'unencoded',
      sent: { username: 'carol' },
      read: textAt('page', 'balance'),
      finds: NO_BALANCE,
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
  {
    program: 'C10',
    method: 'user_simple_balance_get',
    path: '/billing/api/simple_balance/hash-of-carol',
    request: {
      verb: 'GET',
      way: 'query',
      sent: {},
      read: wholeText,
      finds: NO_BALANCE,
    },
    checked: SERVED,
    unchecked: SERVED,
  },
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
  {
    program: 'C11',
    method: 'user_register',
    path: '/billing/api/user_register',
    request: {
      verb: 'POST',
      way: 'form',
      sent: {
        u: 'admin',
        p: 'password of admin',
        owner_id: '0',
        id: 'hash-of-admin',
        ...person('c11'),
        country_id: '80',
        hash: 'hash-of-admin',
      },
      read: (document) => /<user_id>\d+</.exec(document)?.[0].replace(/\d+/, 'N'),
      finds: '<user_id>N<',
    },
    checked: REFUSED,
    unchecked: SERVED,
  },
  {
    program: 'C11',
    method: 'user_details_update',
    path: '/billing/api/user_update',
    request: {
      verb: 'GET',
      way: 'query',
      sent: { u: 'admin', p: 'password of admin', user_id: '10', first_name: 'Jane', last_name: 'Doe' },
      signs: ['user_id'],
      read: (document) => (document.includes('<error>') ? undefined : 'no error'),
      finds: 'no error',
    },
    checked: SERVED,
    unchecked: SERVED,
  },
]
