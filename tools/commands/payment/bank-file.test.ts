import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { aWorld, type World } from '#test/world.ts'
import { type BankRun, runBankFile } from './bank-file.ts'

/** The command runs in a new folder, because it writes profiles into the current one. */
beforeEach(async () => {
  const before = process.cwd()
  process.chdir(await mkdtemp(join(tmpdir(), 'tollgate-bank-')))
  onTestFinished(() => process.chdir(before))
})

const user = (id: number, cells: Record<string, string>) => ({
  ...{ id: String(id), owner_id: '0', usertype: 'user', password_hash: '0'.repeat(40), ...cells },
})

const aBank = () =>
  aWorld({
    users: [
      user(0, { username: 'admin', usertype: 'admin' }),
      user(10, { username: 'carol', first_name: 'Carol', last_name: 'Dent' }),
    ],
    invoices: [{ id: '1', user_id: '10', number: 'A-2026-3', issue_date: '2026-03-01', price: '119' }],
  })

const CSV = [
  'Datum;Name;Verwendungszweck;Betrag',
  '02.03.2026;Carol Dent;a 2026 3;119,00',
  '03.03.2026;Somebody;for the phone;20,00',
  '03.03.2026;Bank;fees;-4,00',
].join('\n')

/** Runs the command, and returns its exit code and its lines. `said` are answers at the terminal. */
async function run(
  world: World,
  text: string,
  { said, ...more }: Partial<BankRun> & { said?: string[] } = {},
) {
  await writeFile('bank.csv', text)
  const lines: string[] = []
  const ask = async (question: string) => {
    lines.push(question)
    return said?.shift() ?? 'no'
  }
  const run = {
    path: 'bank.csv',
    rows: [],
    settings: [],
    yes: false,
    all: false,
    as: undefined,
    now: world.now,
  }
  const terminal = { say: (line: string) => void lines.push(line), ask: said && ask }
  return { code: await runBankFile(world.store, terminal, { ...run, ...more }), lines }
}

test('the rows are shown, and booked once somebody agrees', async () => {
  const world = await aBank()
  const before = await world.dump()

  const shown = await run(world, CSV, { all: true })
  expect(shown).toEqual({
    code: 0,
    lines: [
      'bank.csv is CSV with 3 rows of 2026-03-02 to 2026-03-03',
      'To book: 1 row, 119.00',
      '     1  2026-03-02          119.00  Carol Dent, "a 2026 3", pays A-2026-3 of Carol Dent, by its number',
      'To answer by --row ROW=NUMBER, ROW=@CUSTOMER or ROW=skip: 1 row, 20.00',
      '     2  2026-03-03           20.00  Somebody, "for the phone", no invoice and no customer is recognised',
      'Booked already: 0; no payments of customers: 1',
      '     3  2026-03-03           -4.00  Bank, "fees", is not a payment of a customer',
      'Nothing is booked: pass --yes to book',
    ],
  })
  expect((await run(world, CSV, { said: ['no'] })).lines.at(-1)).toBe('Nothing is booked')
  expect(await world.dump()).toEqual(before)
  const booked = await run(world, CSV, { rows: ['2=@carol'], said: ['yes'] })
  expect(booked.lines.slice(-2)).toEqual(['Book 2 rows?', 'Booked 2 rows'])
  const again = await run(world, CSV, { yes: true })
  expect(again.lines.slice(1)).toEqual(['Booked already: 2; no payments of customers: 1'])
})

test('a file that leaves questions says how they are answered, and a profile keeps the answers', async () => {
  const world = await aBank()
  const text = 'When;What\n01/02/2026;1,190'

  expect(await run(world, text)).toEqual({
    code: 2,
    lines: [
      'Which columns hold the day and the amount? Line 1 has ["When","What"]',
      '  answer with --set columns.day="<heading>" --set columns.amount="<heading>"',
    ],
  })
  const settings = ['columns.day=When', 'columns.amount=What', 'decimal=comma', 'dates=day-month']
  const answered = await run(world, text, { profile: 'my-bank', settings })
  expect(answered.lines[0]).toBe('bank.csv is CSV with 1 row of 2026-02-01')
  expect(JSON.parse(await readFile('profiles/my-bank.json', 'utf8'))).toEqual({
    columns: { day: 'When', amount: 'What' },
    ...{ delimiter: ';', decimal: 'comma', dates: 'day-month' },
  })
  expect((await run(world, text, { profile: 'my-bank' })).code).toBe(0)
})
