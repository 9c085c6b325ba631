import { expect, test } from 'vitest'
import { importRows } from '#test/datasets/import-rows.ts'
import { rate } from '#test/examples/tariffs.ts'
import { linesOfList } from '#test/listed.ts'
import { ASTERISK_CALL, anOperator, send } from '#test/mediation/csv-switch.ts'
import { ratedNumberReport } from './priced-again.ts'

/** After the first tariff version of the operator. */
const MORNING = new Date('2026-03-09T06:00:00Z')

test.each(['dialled', 'carrier'])(
  'by %s, the calls that the other rule rates otherwise are listed',
  async (rule) => {
    const world = await anOperator()
    await importRows(
      { store: world.store, clock: () => MORNING },
      {
        settings: [
          { name: 'Rated_Number', value: rule },
          { name: 'Country_Code', value: '1' },
        ],
        providers: [{ id: '1', name: 'Potomac', number_format: 'e164' }],
        rates: [rate({ prefix: '1', tariff_rate: '0.03' }), rate({ prefix: '91', tariff_rate: '0.9' })],
      },
    )
    const calls = [
      { dst: '912025550171' },
      { dst: '12025550171' },
      { dst: '#31#12025550171', lastdata: '', dstchannel: '' },
      { dst: '912025550172', billsec: 0, disposition: 'NO ANSWER' },
    ]
    const text = calls.map((call, index) =>
      JSON.stringify({ ...ASTERISK_CALL, uniqueid: `${index}`, ...call }),
    )
    await send(world, { format: 'asterisk-json', text: text.join('\n') })

    const report = await ratedNumberReport(world.store, { from: '2026-03-10', till: '2026-03-10' })
    const lines = await linesOfList({ ...report, summary: () => '' })
    const cells = lines.map((line) => line.trim().split(/ {2,}/))
    const nine = '2026-03-10 10:00:00,bob,912025550171,12025550171,912025550171,0.9,12025550171,0.03'
    const hidden = '2026-03-10 10:00:00,bob,#31#12025550171,feature_code,0,ambiguous_number'
    expect(cells.map((line) => line.join()).filter((line) => line.startsWith('2026'))).toEqual(
      rule === 'dialled' ? [nine, hidden] : [nine],
    )
    expect(report.total?.()).toEqual({ start: 'total', dialled_price: '0.9', carrier_price: '0.03' })
  },
)
