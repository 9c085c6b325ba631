import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adviceIn } from './advice.ts'

const settings = (setting: string) => ({ section: 'settings', values: { setting }, text: `Set ${setting}` })

test.each([
  ['Nothing helps', { fact: 'Nothing helps' }],
  [
    'Invoices_From is blank: npx tollgate settings set Invoices_From DAY --as USERNAME.',
    { fact: 'Invoices_From is blank', help: settings('Invoices_From') },
  ],
  [
    'No balances are kept: run npx tollgate balance open.',
    { fact: 'No balances are kept', help: settings('Balance_From') },
  ],
  [
    'April 2026 is not issued: npx tollgate invoices issue --month 2026-04 --customer anna.b',
    { help: { section: 'billing', values: { view: 'month', month: '2026-04' }, text: 'Issue 2026-04' } },
  ],
  [
    '3 calls of the month in suspense: npx tollgate suspense retry, or pass --despite-suspense',
    { fact: '3 calls of the month in suspense', help: expect.objectContaining({ section: 'suspense' }) },
  ],
  [
    'It is archived: run npx tollgate suspense retry --table TABLE.',
    { fact: 'It is archived', command: 'npx tollgate suspense retry --table TABLE', help: undefined },
  ],
  [
    'There are 9 calls: choose fewer days, or run npx tollgate report calls --by day.',
    { fact: 'There are 9 calls: choose fewer days', command: 'npx tollgate report calls --by day' },
  ],
])('the advice in "%s"', (message, advice) => {
  expect(adviceIn(message)).toMatchObject(advice)
})

/** The texts between quotes that name a command, with `1` in place of values. */
const messages = globSync('{lib,functions}/**/*.ts', { exclude: ['**/*.test.ts'] }).flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/(['`])((?:(?!\1).)*npx tollgate.*?)\1[,)\n]/g)].flatMap(
    ([, , text = '']) => (/^npx|\/\*\* /.test(text) ? [] : [[text.replaceAll(/\$\{.*?\}/g, '1')]]),
  ),
)

test.each(messages)('the message "%s" ends with its command, so that the page can cut it off', (text) => {
  const { fact, command = '' } = adviceIn(text)

  expect(fact).not.toMatch(/npx|(?: run| or| and|:)$/)
  expect(command).toMatch(/^npx tollgate( (--)?[a-z][a-z-]*| [A-Z]+| [\w$.]+|, or pass --[a-z-]+)+$/)
})

test('there are such messages', () => {
  expect(messages.length).toBeGreaterThan(10)
})
