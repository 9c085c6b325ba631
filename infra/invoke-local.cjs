/**
 * Makes `serverless invoke local` run a function against the table of a running `npm start`, without an AWS account and
 * without requests that leave the machine. Otherwise osls asks CloudFormation for the name of the table and AWS for
 * credentials, and the function behaves as in a Lambda.
 */
module.exports = class InvokeLocal {
  constructor(serverless) {
    // osls reads the environment in its first hook, so this must run in `initialize`.
    this.hooks = { initialize: () => isInvokeLocal(serverless) && useLocalTable(serverless) }
  }
}

const isInvokeLocal = ({ processedInput: { commands } }) => commands.join(' ') === 'invoke local'

async function useLocalTable(serverless) {
  const { tableName, endpoint } = await localTable()
  if (endpoint === undefined || !(await answers(endpoint))) {
    throw new serverless.classes.Error('There is no local table: run npm start first, and leave it running.')
  }
  const { provider } = serverless.service
  provider.environment = { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint, IS_OFFLINE: 'true' }
  useFakeCredentials(provider.stage)
}

/** Finds the table as the commands of package.json do. */
async function localTable() {
  const { chooseLocation } = await import('../tools/machine/location.ts')
  return chooseLocation({})
}

async function answers(endpoint) {
  const { withoutKey } = await import('../lib/table/table.ts')
  return fetch(withoutKey(endpoint)).then(
    () => true,
    () => false,
  )
}

/** Sets fake credentials, because a profile may ask AWS for real ones. */
function useFakeCredentials(stage) {
  for (const name of [`AWS_${stage.toUpperCase()}_PROFILE`, 'AWS_PROFILE', 'AWS_SESSION_TOKEN'])
    delete process.env[name]
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' })
}
