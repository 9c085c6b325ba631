import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { type World, withClient } from '#test/world.ts'

/** The same world before its indexes have the latest writes. */
export const withIndexesBehind = (world: World): World =>
  withClient(
    world,
    aroundRequests(world.table.client, async (command, sendOn) =>
      command instanceof QueryCommand && command.input.IndexName !== undefined ? { Items: [] } : sendOn(),
    ),
  )
