import { expect, test } from 'vitest'
import { remedyIn } from './remedies.ts'

test.each([
  [{ act: 'set_setting', setting: 'DATEV_Client', value: '1/2' }, 'settings?setting=DATEV_Client'],
  [{ act: 'list', of: 'tariff' }, 'tariffs?'],
  [{ act: 'list_versions', tariff: '7' }, 'tariffs/7?'],
  [{ act: 'list_payments' }, 'billing?kind=payments'],
  [{ act: 'move_timezone', zone: 'Europe/Paris' }, 'npx tollgate settings timezone Europe/Paris'],
  [{ act: 'again' }, ''],
  [{ act: 'of a newer API' }, ''],
])('the remedy %o leads to "%s"', (remedy, way) => {
  const { help, command } = remedyIn(remedy)
  const address =
    help && `${[help.section, ...(help.id ? [help.id] : [])].join('/')}?${new URLSearchParams(help.values)}`
  expect(address ?? command ?? '').toBe(way)
})
