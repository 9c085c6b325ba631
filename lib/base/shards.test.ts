import { expect, test } from 'vitest'
import {
  askedShardsOfUser,
  countersOf,
  listShards,
  MOST_COUNTERS,
  SHARD_COUNTS,
  shardsIn,
  shardsOfUser,
} from './shards.ts'

test.each([
  ['of an earlier release', {}, { written: 16, asked: [16] }],
  ['that is new', { shards: [2] }, { written: 2, asked: [2] }],
  ['that is about to grow', { shards: [2, 4], shards_next: 8 }, { written: 4, asked: [2, 4, 8] }],
  ['of an earlier release that is about to grow', { shards_next: 32 }, { written: 16, asked: [16, 32] }],
])('a table %s', (_case, stored, shards) => {
  expect(shardsIn(stored)).toEqual(shards)
})

test.each([
  [2, { user: 2, owner: 2, everyone: 2 }],
  [8, { user: 2, owner: 2, everyone: 4 }],
  [16, MOST_COUNTERS],
  [64, MOST_COUNTERS],
])('%i shards have counters, never more than strong reads and fences know', (shards, counters) => {
  expect({
    user: countersOf('user', shards),
    owner: countersOf('owner', shards),
    everyone: countersOf('everyone', shards),
  }).toEqual(counters)
})

test.each([
  [2, 5, [1]],
  [4, 5, [1]],
  [8, 5, [2, 3]],
  [16, 5, [4, 5, 6, 7]],
  [64, 21, [20, 21, 22, 23]],
])('of %i shards, account %i has its own', (written, user, own) => {
  expect(shardsOfUser(user, written)).toEqual(own)
})

test('accounts share all shards evenly', () => {
  for (const written of SHARD_COUNTS) {
    const uses = Array.from({ length: written }, (_, user) => shardsOfUser(user, written)).flat()
    const each = uses.length / written
    expect(uses.sort((one, other) => one - other)).toEqual(
      Array.from({ length: uses.length }, (_, index) => Math.floor(index / each)),
    )
  }
})

test('the list of an account asks for its shards of every number that was written, each once', () => {
  const shards = shardsIn({ shards: [2, 8], shards_next: 16 })

  expect(askedShardsOfUser(1, shards)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(askedShardsOfUser(0, shards)).toEqual([0, 1, 2, 3])
  expect(listShards(shards)).toBe(16)
})
