import fc from 'fast-check'
import type { Step } from './device-model.ts'

const pick = fc.nat(5)
const location = fc.constantFrom(1, 5)
const dialled = fc.constantFrom('1001', '1002', '1003', '1004')
const lengths = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 12, max: 20 }))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('create device' as const),
      user: fc.constantFrom(10, 11),
      extension: fc.oneof(dialled, fc.constant('')),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        does: fc.constant('update device' as const),
        pick,
        extension: dialled,
        name: fc.oneof(dialled, fc.constantFrom('desk', 'phone')),
      },
      { requiredKeys: ['does', 'pick'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete device' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('create rule' as const),
      pick,
      name: fc.constantFrom('a', 'b'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete rule' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('create location rule' as const),
      location,
      cut: fc.constantFrom('0', '00'),
      lengths,
      pick: fc.integer({ min: -1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('copy location rule' as const), pick, location }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete location rule' as const), pick }) },
)

/** Calls that follow one another. */
export const sequences = fc.array(step, { minLength: 5, maxLength: 25 })

/** Calls that come at once, after others. */
export const rushes = fc.record({
  before: fc.array(step, { maxLength: 6 }),
  atOnce: fc.array(step, { minLength: 2, maxLength: 5 }),
})
