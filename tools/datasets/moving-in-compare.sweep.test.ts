import { spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, onTestFinished, test } from 'vitest'
import { addDays } from '#lib/base/calendar.ts'
import { copyTree, surroundingsIn } from '#test/copied-tree.ts'
import { aWorld } from '#test/world.ts'
import { root } from '#tools/machine/program.ts'

const AMOUNTS = { user_price: '1.23456789012345', reseller_price: '', provider_price: '0.123456789012345' }

/** One call of each customer on each day. */
const calls = (days: number, customers: readonly string[]) =>
  Array.from({ length: days }, (_, index) => addDays('2020-01-01', index)).flatMap((day) =>
    customers.map((user_id) => ({
      ...AMOUNTS,
      uniqueid: `${day}-${user_id}`,
      calldate: `${day} 10:00:00`,
      dst: '442079460000',
      disposition: 'ANSWERED',
      duration: '60',
      billsec: '60',
      hangupcause: '16',
      user_id,
    })),
  )

test("docs/moving-in.md's comparison reads long answers to their end, and finds a difference there", {
  timeout: 900_000,
}, async () => {
  const customers = Array.from({ length: 200 }, (_, index) => String(index + 100))
  const users = customers.map((id) => ({
    id,
    username: `u${id}`,
    usertype: 'user',
    owner_id: '0',
    password_hash: 'none',
  }))
  const world = await aWorld({
    users: [
      { id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash: 'none' },
      ...users,
    ],
  })
  await world.given({ calls: calls(90, customers) })
  const folder = await copyTree()
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { env } = surroundingsIn(folder)
  const page = await readFile(`${root}docs/moving-in.md`, 'utf8')
  const [, comparison = ''] = /```sh\n(for of in calls .+?)```/s.exec(page) ?? []
  const types = (commands: string) => {
    const shell = spawn('bash', ['-c', `exec 2>&1\n${commands}`], {
      cwd: folder,
      env: { ...env, DYNAMODB_ENDPOINT: inject('endpoint'), TABLE_NAME: world.table.tableName },
    })
    return text(shell.stdout)
  }
  // The answers of the old database are files: they come slowly, as from a large table.
  const compared = `ask() { while IFS= read -r line; do echo "$line"; done < "$1"; }\n${comparison}`
  await mkdir(join(folder, 'queries/compare'), { recursive: true })
  const kinds = ['calls', 'incoming', 'rates', 'payments', 'invoices', 'objects']
  await types(
    kinds
      .map((of) => `npx tollgate report totals --of ${of} --format csv > queries/compare/${of}.sql`)
      .join('\n'),
  )
  const file = join(folder, 'queries/compare/calls.sql')
  const answer = await readFile(file, 'utf8')
  expect(answer.length).toBeGreaterThan(1_000_000)

  expect(await types(compared)).toBe(kinds.map((of) => `${of}:\nequal\n`).join(''))
  await writeFile(file, answer.replace(/.\n$/, 'x\n'))
  expect(await types(compared)).toContain('18001c18001')
})
