import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { decideNumber } from '#lib/rates/numbers/rated-number.ts'
import { listProviders } from '#lib/rates/provider.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aWorld, bodyOf } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { program } from '#tools/machine/program.ts'
import { writeFirstDataset } from '../commands/init/init.ts'

const wanted = {
  company: 'Baltic Voice',
  currency: 'EUR',
  timezone: 'Europe/Vilnius',
  countryCode: '370',
  carrier: 'e164',
  password: 'long enough',
}

const aFolder = async () => join(await mkdtemp(join(tmpdir(), 'init-')), 'mine')

test('the first dataset is imported without changes, and a call that its key signs is answered', async () => {
  const folder = await aFolder()
  const names = await writeFirstDataset(folder, wanted)
  const world = await aWorld({}, { Allow_API: 'off', API_Secret_Key: '' })
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const key = /API_Secret_Key,(\S+)/.exec(texts.join(''))?.[1] ?? ''
  const method = (await loadFunctionFiles()).find((one) => one.method.name === 'devices_get')?.method
  if (!method) throw new Error('There is no method devices_get')
  const hash = signatureOf({ u: 'admin', user_id: '1' }, method.hashOrders[0] ?? { signs: [] }, key)
  const body = new URLSearchParams({ u: 'admin', user_id: '1', hash }).toString()

  expect(reports.flatMap(({ refused }) => [...refused.values()])).toEqual([])
  expect(bodyOf(await world.send(method, { body }))).toContain('<device_id>1</device_id>')
  expect(key.length).toBeGreaterThan(20)
  expect(key).toMatch(/^[0-9a-f]+$/)
  expect(texts.filter((text) => text.includes(key))).toHaveLength(1)
  expect(await settingsOf(world.store)).toMatchObject({ Rated_Number: 'carrier', Country_Code: '370' })
  expect(await listProviders(world.store)).toMatchObject([{ name: 'carrier', number_format: 'e164' }])
  const [admin] = await findCallers(world.store, ['admin'])
  expect((await checkPassword(wanted.password, admin?.password_hash)).matches).toBe(true)
})

test('a national number without a prefix is one of its country where the plan is closed', async () => {
  const folder = await aFolder()
  await writeFirstDataset(folder, { ...wanted, countryCode: '34' })
  const world = await aWorld({}, { Allow_API: 'off', API_Secret_Key: '' })
  await importPath({ store: world.store, clock: () => world.now }, folder)
  const settings = await settingsOf(world.store)
  expect(settings).toMatchObject({
    National_Length: '9',
    National_Prefix: '',
    Emergency_Numbers: '061,062,080,085,088,091,092,112',
  })
  const numberOf = (dialled: string) =>
    decideNumber(
      { dialled, carrier: undefined, isDevice: false, emergencies: new Set(), rules: [] },
      settings,
    ).digits
  expect(['911234567', '771234567', '0033123456789', '33123456789', '+4420'].map(numberOf)).toEqual([
    '34911234567',
    '34771234567',
    '33123456789',
    '33123456789',
    '4420',
  ])
})

/** `script` of util-linux makes the pseudo-terminal that is typed at. */
test.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
  'at a terminal the questions of init are answered by keys, a wrong answer once more',
  async () => {
    const folder = await aFolder()
    const command = `${process.execPath} ${program} init ${folder}`
    const { stdout, stdin } = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'])
    const answers = [
      ['Company:', wanted.company],
      ['Currency, such as EUR:', 'EURO'],
      ['Currency, such as EUR:', wanted.currency],
      ['Time zone', wanted.timezone],
      ['Country code', wanted.countryCode],
      ['How is your carrier called?', ''],
      ['New password', wanted.password],
      ['Repeat the password', wanted.password],
    ]
    let [shown, sinceAnswer] = ['', '']
    for await (const chunk of stdout) {
      const text = stripVTControlCharacters(String(chunk))
      shown += text
      sinceAnswer += text
      const [question = '', answer] = answers[0] ?? []
      if (answer === undefined || !sinceAnswer.includes(question) || !/[:?] $/.test(sinceAnswer)) continue
      answers.shift()
      sinceAnswer = ''
      stdin.write(`${answer}\r`)
    }

    expect(shown).toContain('The currency "EURO" is not a code of ISO 4217: use one such as EUR')
    expect(shown).not.toContain(wanted.password)
    expect(shown).toContain(`Run: npm start -- --data ${folder}`)
    expect(await readFile(join(folder, 'settings.csv'), 'utf8')).toContain('Country_Code,370')
  },
)

test('the README describes every column, and only the owner can read the files', async () => {
  const folder = await aFolder()
  const names = await writeFirstDataset(folder, wanted)
  const readme = await readFile(join(folder, 'README.md'), 'utf8')

  expect(readme).toContain('Run `npm start -- --data <this folder>`')
  for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  for (const name of names.filter((one) => one.endsWith('.csv'))) {
    const [header = ''] = (await readFile(join(folder, name), 'utf8')).split('\r\n')
    for (const column of header.split(',')) expect(readme).toContain(`| ${column} | `)
  }
})

test('git sees nothing of the folder, which holds the secret key', async () => {
  const folder = await aFolder()
  await writeFirstDataset(folder, wanted)
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')

  expect(git('status', '--porcelain')).toBe('')
})

test.each([
  [{ company: ' ' }, 'has no name'],
  [{ company: 'Acme\u200b' }, 'The company "Acme\\u{200b}" has blanks around it or invisible characters'],
  [{ company: 'Acme\nLtd' }, 'The company "Acme\\u{a}Ltd" has blanks'],
  [{ currency: 'EURO' }, 'The currency "EURO" is not a code of ISO 4217: use one such as EUR'],
  [{ timezone: 'Vilnius' }, 'Timezone'],
  [{ password: 'short' }, 'at least 8'],
  [{ countryCode: '+44' }, 'The country code "+44" is not of 1 to 3 digits'],
  [{ carrier: 'E.164' }, 'The carrier is called as "E.164": use e164 or local'],
])('an invalid answer is refused with a reason: %o', async (wrong, reason) => {
  await expect(writeFirstDataset(await aFolder(), { ...wanted, ...wrong })).rejects.toThrow(reason)
})

test('a folder that is not empty is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'init-'))
  await writeFile(join(folder, 'mine.txt'), '')

  await expect(writeFirstDataset(folder, wanted)).rejects.toThrow('is not empty')
})
