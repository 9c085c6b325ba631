import { createHash, scryptSync } from 'node:crypto'
import { rowsIn } from '#test/examples/rows.ts'

/** Legacy hashes: an import takes them as they are, so that no test waits for scrypt. */
const legacyHash = (password: string): string => createHash('sha1').update(password).digest('hex')

/** A hash of ours that costs nothing to check, for tests of many attempts; a right login replaces it. */
function cheapHash(password: string): string {
  const salt = Buffer.alloc(16)
  const key = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 })
  return ['scrypt', 2, 1, 1, salt.toString('base64'), key.toString('base64')].join('$')
}

/** A row of an account whose password names it, and is checked at no cost. */
export const withCheapHash = <P extends { readonly username: string }>(person: P) => ({
  ...person,
  password_hash: cheapHash(`password of ${person.username}`),
})

const person = (id: number, username: string, rest: Readonly<Record<string, string>>) => ({
  id: String(id),
  username,
  password_hash: legacyHash(`password of ${username}`),
  ...rest,
})

/** Everyone a scope can tell apart: two resellers and a partner with a customer each, and admin's own. */
export const people = [
  person(0, 'admin', { usertype: 'admin', owner_id: '0' }),
  person(1, 'alice', { usertype: 'accountant', owner_id: '0' }),
  person(2, 'rick', { usertype: 'reseller', owner_id: '0' }),
  person(3, 'rita', { usertype: 'reseller', owner_id: '0' }),
  person(4, 'pat', { usertype: 'partner', owner_id: '0' }),
  person(10, 'bob', { usertype: 'user', owner_id: '0', first_name: 'Bob', last_name: 'Brown' }),
  person(11, 'ben', { usertype: 'user', owner_id: '0', blocked: '1' }),
  person(20, 'carol', { usertype: 'user', owner_id: '2' }),
  person(30, 'dave', { usertype: 'user', owner_id: '3' }),
  person(40, 'paula', { usertype: 'user', owner_id: '4' }),
]

export const {
  devices: exampleDevices,
  currencies: exampleCurrencies,
  location_rules: exampleLocationRules,
} = rowsIn<'devices' | 'currencies' | 'location_rules'>('examples')
