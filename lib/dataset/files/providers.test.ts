import { expect, test } from 'vitest'
import { listProviders, resolveProviders } from '#lib/rates/provider.ts'
import { importRefusals } from '#test/datasets/import-rows.ts'
import { aWorld } from '#test/world.ts'

const admin = { id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash: '0'.repeat(40) }

const carriers = {
  users: [admin],
  dids: [{ id: '2', did: '37052000002', owner_id: '0' }],
  providers: [
    { id: '1', name: 'Potomac', names: 'gw1', addresses: '192.0.2.1', channels: 'DAHDI/i1' },
    { id: '2', name: 'Thames' },
  ],
}

test('a name, address, channel or number of another provider or DID is refused', async () => {
  const world = await aWorld(carriers)

  expect(
    await importRefusals(world, {
      providers: [
        { id: '4', name: 'POTOMAC' },
        { id: '5', name: 'Five', addresses: '192.0.2.5 192.0.2.1' },
        { id: '6', name: 'Six', channels: 'PJSIP/six' },
        { id: '7', name: 'Seven', channels: 'pjsip/six-' },
        { id: '8', name: 'Eight', names: Array.from({ length: 46 }, (_, n) => `g${n}`).join(' ') },
      ],
      dids: [
        { id: '4', did: '＋３７０ 52000002', owner_id: '0' },
        { id: '5', did: '442079460990-442079460999', owner_id: '0' },
        { id: '6', did: '4420794609xx', owner_id: '0' },
        { id: '7', did: '٣٧٠٥٢٠٠٠٠٠٣', owner_id: '0' },
      ],
    }),
  ).toEqual([
    'channel pjsip/six is in line 3 already',
    'name potomac belongs to provider 1',
    'address 192.0.2.1 belongs to provider 1',
    'has more than 45 names, addresses and channels',
    'did 442079460990-442079460999 is several numbers: write a row for each',
    'did 4420794609xx is several numbers: write a row for each',
    'did ٣٧٠٥٢٠٠٠٠٠٣ has digits of another script: write 0 to 9',
    'did is the number of DID 2',
  ])
})

test('a provider may get what another provider of the file gives up, in any order of rows', async () => {
  const world = await aWorld(carriers)
  const moved = [
    { id: '1', name: 'Potomac', names: '' },
    { id: '2', name: 'Thames', names: 'gw1' },
  ]
  const back = [
    { id: '1', name: 'Potomac', names: 'gw1' },
    { id: '2', name: 'Thames', names: '' },
  ]

  expect(await importRefusals(world, { providers: moved })).toEqual([])
  expect(await importRefusals(world, { providers: back })).toEqual([])
  const none = { names: [], addresses: [], channels: [] }
  const hints = { out: { ...none, names: ['gw1'] }, in: none }
  expect((await resolveProviders(world.store, [hints])).get(hints)).toEqual({ provider_id: 1 })
})

test('the .0 of a decimal number is cut from a tech prefix, and a shortened number is refused', async () => {
  const world = await aWorld({ users: [admin] })

  expect(
    await importRefusals(world, {
      providers: [
        { id: '1', name: 'One', tech_prefix: '1234.0' },
        { id: '2', name: 'Two', tech_prefix: '00#1' },
        { id: '3', name: 'Three', tech_prefix: '1.2E+11' },
      ],
    }),
  ).toEqual(['tech_prefix 1.2E+11 is not a number: a spreadsheet shortened it, format the column as text'])
  const found = await listProviders(world.store)
  expect(found.map(({ tech_prefix }) => tech_prefix)).toEqual(['1234', '00#1'])
})
