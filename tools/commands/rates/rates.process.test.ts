import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, test } from 'vitest'
import { createTestTable } from '#test/test-table.ts'
import { program } from '../../machine/program.ts'

/** Runs a command in a folder. */
async function run(folder: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, said: said + complained }
}

test('a sheet is imported from the command line, and every exit code is used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rates-'))
  const { tableName } = await createTestTable(`rates-${randomUUID()}`)
  const location = ['--endpoint', inject('endpoint'), '--table', tableName]
  await mkdir(join(folder, 'base'))
  await writeFile(
    join(folder, 'base/users.csv'),
    'id,username,usertype,owner_id,password\n0,admin,admin,0,night-1234\n',
  )
  await writeFile(join(folder, 'base/currencies.csv'), 'name,exchange_rate\nEUR,0.9\n')
  await writeFile(join(folder, 'base/tariffs.csv'), 'id,name,owner_id,currency\n7,Carrier A,0,EUR\n')
  await writeFile(join(folder, 'sheet.csv'), 'Zone;Dial Codes;Price EUR\nGermany;49-151,152;0,02\n')
  const rates = (...args: readonly string[]) => run(folder, 'rates', ...args, ...location)

  expect((await run(folder, 'import', 'base', ...location)).code).toBe(0)
  const unanswered = await rates('import', 'sheet.csv', '--tariff', '7')
  expect(unanswered).toMatchObject({
    code: 2,
    said: expect.stringContaining('answer with --replace or --merge'),
  })
  const imported = await rates('import', 'sheet.csv', '--tariff', '7', '--replace', '--profile', 'carrier-a')
  expect(imported).toMatchObject({ code: 0, said: expect.stringContaining('Tariff 7 is switched') })
  expect(await readdir(join(folder, 'profiles'))).toEqual(['carrier-a.json'])
  await writeFile(join(folder, 'sheet.csv'), 'Zone;Dial Codes;Price EUR\nGermany;49-151;x\n')
  const refused = await rates('preview', 'sheet.csv', '--profile', 'carrier-a')
  expect(refused).toMatchObject({
    code: 1,
    said: expect.stringContaining('line 2: Price EUR: "x" is not a price'),
  })
})
