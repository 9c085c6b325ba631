import { toLoginFailures } from '#lib/accounts/login-failures.ts'
import type { DumpedItem } from '#test/dump.ts'
import { bodyOf, type World } from '#test/world.ts'
import { method } from '../functions/session/user_login.ts'

export const LOGIN_OK = '<status>ok</status>'
export const LOGIN_FAILED =
  '<page><action><name>login</name><status>failed</status><status_message>Login failed</status_message></action></page>'

export const loginForm = (u: string, p: string): string => new URLSearchParams({ u, p }).toString()

/** The answer to an attempt from an address. */
export const login = async (world: World, u: string, p: string, address = '192.0.2.1'): Promise<string> =>
  bodyOf(await world.send(method, { body: loginForm(u, p), address }))

/** The answer to an attempt with the password that the person has in examples.ts. */
export const loginRight = (world: World, u = 'rick', address?: string): Promise<string> =>
  login(world, u, `password of ${u}`, address)

/** The counters of failed attempts among dumped items. */
export const storedLoginCounters = (items: readonly DumpedItem[]) =>
  items
    .filter(({ PK }) => PK.startsWith('LOGINFAIL#'))
    .map((item) => ({ PK: item.PK, ...toLoginFailures(item) }))
